"""Ways to damage a file, each decided by a generator of random numbers alone."""

from __future__ import annotations

import json
import random
import struct
from typing import Any

NASTY = (
    None,
    True,
    [],
    {},
    "",
    "x" * 400,
    -1,
    0,
    2**31,
    2**63,
    10**400,
    1e308,
    "1e400",
    [[]],
    {"a": [1]},
    "\x1b[31m",
    "\0",
)
WORDS = (0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)


def damaged_bytes(content: bytes, rng: random.Random) -> bytes:
    """Damage bytes in one to three ways: flipped, overwritten, cut off, cut out, doubled, put in."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(max(1, len(changed)))
        if rng.random() < 0.5:
            place = min(place, rng.randrange(1024))  # where headers are
        way = rng.randrange(7)
        if way == 0 and changed:
            changed[min(place, len(changed) - 1)] ^= 1 << rng.randrange(8)
        elif way == 1:
            word = struct.pack(rng.choice(("<Q", ">Q")), rng.choice(WORDS))[: rng.choice((1, 2, 4, 8))]
            changed[place : place + len(word)] = word
        elif way == 2:
            del changed[place:]
        elif way == 3:
            del changed[place : place + rng.choice((1, 8, 100))]
        elif way == 4:
            changed[place:place] = changed[place : place + rng.choice((1, 8, 100))]
        elif way == 5:
            changed[place:place] = rng.randbytes(rng.choice((1, 4, 64)))
        else:
            changed[place : place + 64] = bytes([rng.choice((0, 0xFF))]) * 64
    return bytes(changed)


def damaged_json(content: bytes, rng: random.Random) -> bytes:
    """Put something nasty in the place of one or two values, or take some away."""
    data = json.loads(content)
    for _ in range(rng.randint(1, 2)):
        data = _changed(data, rng)
    text = json.dumps(data)
    return text.encode() if rng.random() < 0.9 else damaged_bytes(text.encode(), rng)


def _changed(data: Any, rng: random.Random) -> Any:
    if isinstance(data, dict) and data and rng.random() < 0.9:
        key = rng.choice(list(data))
        if rng.random() < 0.15:
            return {name: value for name, value in data.items() if name != key}
        return {**data, key: _changed(data[key], rng)}
    if isinstance(data, list) and data and rng.random() < 0.8:
        place = rng.randrange(len(data))
        return [*data[:place], _changed(data[place], rng), *data[place + 1 :]]
    return rng.choice(NASTY)


def damaged_safetensors(content: bytes, rng: random.Random) -> bytes:
    """Damage the description of the tensors, whose length is told again, or any bytes."""
    if rng.random() < 0.4:
        return damaged_bytes(content, rng)
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + length])
    about = header.get("__metadata__", {})
    name = rng.choice([*about]) if about and rng.random() < 0.6 else None
    if name is not None and about[name][:1] == "{":
        about[name] = damaged_json(about[name].encode(), rng).decode(errors="replace")
    else:
        header = _changed(header, rng)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content[8 + length :]


def damaged_npy(content: bytes, rng: random.Random) -> bytes:
    """Damage the text in which an array says what it is, or any bytes."""
    if rng.random() < 0.5:
        return damaged_bytes(content, rng)
    kind = rng.choice(("'<f4'", "'|O'", "'<c8'", "'|V0'", "'<U9'", "[('a', '<f4')]", "'>i2'", "'x'"))
    shape = rng.choice(("()", "(-1,)", "(2**40, 2)", "(99999999999, 9)", "(1e9,)", "(0, 5)", "(5, 5, 5)", "[" * 90))
    line = f"{{'descr': {kind}, 'fortran_order': {rng.choice(('False', 'True', '1'))}, 'shape': {shape}, }}".encode()
    line = damaged_bytes(line, rng) if rng.random() < 0.3 else line
    line += b" " * 8 + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(line)) + line + content[128:]


def damaged_text(content: bytes, rng: random.Random) -> bytes:
    """Replace, double or cut out lines and words, or damage any bytes."""
    if rng.random() < 0.3:
        return damaged_bytes(content, rng)
    lines = content.decode().splitlines()
    place = rng.randrange(len(lines))
    way = rng.randrange(4)
    if way == 0:
        del lines[place]
    elif way == 1:
        lines.insert(place, lines[rng.randrange(len(lines))])
    elif way == 2:
        head, colon, _ = lines[place].partition(":")
        lines[place] = head + colon + rng.choice(("", " ", " nan", " -1", " 1e400", "\x1b[31m", " " + "x" * 500))
    else:
        words = lines[place].split(" ")
        words[rng.randrange(len(words))] = str(rng.choice(NASTY))
        lines[place] = " ".join(words)
    return "\n".join(lines).encode()
