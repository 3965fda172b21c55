"""Score networks as programs that torch exported, ``(x, sigma) -> score``, checked before torch reads them.

``torch.export.load`` believes its file: pickles in it are run, expressions in it are evaluated, and it may name any
function of torch. Here a file is refused unless it holds plain tensors, sizes, and operations of torch's core alone.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.reading import is_file, reading, shown

SUFFIX = ".pt2"
_ADVICE = "export it again with torch.export.save"
_MEMBER = re.compile(
    r"(archive_format|archive_version|version|byteorder|\.data/(serialization_id|version|.*)|extra/.*"
    r"|models/\w+\.json|data/(weights|constants)/(weight_\d+|tensor_\d+|\w+_config\.json)|data/sample_inputs/\w+\.pt)"
)
_PAYLOAD = re.compile(r"(weight|tensor)_\d+")
_TARGET = re.compile(r"(torch\.ops\.aten\.\w+(\.\w+)?|_operator\.(getitem|add|sub|mul|floordiv|neg|mod)|math\.sqrt)")
_WORDS = "Symbol|Integer|Rational|Add|Mul|Pow|Max|Min|Mod|FloorDiv|CeilDiv|True|False|positive|nonnegative|integer"
_EXPRESSION = re.compile(rf"(?:\b(?:[su]\d+|\d+|{_WORDS})\b|[-+*/(),<>=' ])*")
_MOST_JSON = 64 * 2**20  # bytes; the graph of NCSN++ has about one


class ExportedScore:
    """A network's score as an exported program of real images (images, 1, rows, columns) and their noise (images,).

    Parameters
    ----------
    program
        What `torch.export` gave.
    name
        What to call it.
    """

    def __init__(self, program: Any, name: str) -> None:
        self._run = program.module()
        self.name = name
        self.parameter_count = sum(values.numel() for values in program.state_dict.values())

    def score(self, x: Tensor, sigma: float) -> Tensor:
        """Score of images (..., rows, columns), real or complex, with noise of standard deviation ``sigma``."""
        if x.is_complex():
            return torch.complex(self.score(x.real, sigma), self.score(x.imag, sigma))
        planes = x.float().reshape(-1, 1, *x.shape[-2:])
        try:
            with torch.no_grad():
                found = [self._run(plane[None], torch.full((1,), sigma)) for plane in planes]
        except (RuntimeError, AssertionError, ValueError) as error:
            size = f"{x.shape[-2]} x {x.shape[-1]}"
            raise InputError(f"{self.name}: does not take images of {size} ({_line(error)}).") from error
        score = torch.cat(found).reshape(x.shape)
        if not bool(score.isfinite().all()):
            raise InputError(f"{self.name}: gives scores that are not finite; it expects other images.")
        return score


def is_exported(source: str | Path) -> bool:
    """Whether this names an exported program."""
    return str(source).endswith(SUFFIX) and is_file(source)


def load_exported(path: Path) -> ExportedScore:
    """Load an exported program after all that is in it was checked.

    Raises
    ------
    InputError
        If it is damaged or holds anything but tensors and a graph of torch's core operations.
    """
    with reading(path, "exported program of torch", _ADVICE):
        content = path.read_bytes()
        check_archive(content, shown(path))
        program = torch.export.load(io.BytesIO(content))
    return ExportedScore(program, path.stem)


def check_archive(content: bytes, what: str) -> None:
    """Refuse an archive that holds more than it needs; ``what`` begins the sentence."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for member in archive.infolist():
            name = member.filename.split("/", 1)[-1]
            if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
                raise InputError(f"{what}: is compressed or encrypted; {_ADVICE}.")
            if not _MEMBER.fullmatch(name):
                raise InputError(f"{what}: holds {name!r}, which no exported network needs; {_ADVICE}.")
            if name.endswith(".json") and member.file_size <= _MOST_JSON:
                _check_json(json.loads(archive.read(member)), what)
            elif name.endswith(".json"):
                raise InputError(f"{what}: its graph is too large; {_ADVICE}.")
            elif name.startswith("data/sample_inputs/"):
                torch.load(io.BytesIO(archive.read(member)), weights_only=True)


def _check_json(found: Any, what: str) -> None:
    for key, value in _pairs(found):
        if key == "use_pickle" and value:
            raise InputError(f"{what}: holds pickled tensors, which can run code; {_ADVICE}.")
        if key == "path_name" and not _PAYLOAD.fullmatch(str(value)):
            raise InputError(f"{what}: reads {str(value)[:40]!r}, which is not a tensor; {_ADVICE}.")
        if key == "target" and isinstance(value, str) and "." in value and not _TARGET.fullmatch(value):
            raise InputError(f"{what}: calls {value!r}, which is not a core operation of torch; {_ADVICE}.")
        if key in {"expr_str", "as_expr"} and isinstance(value, str) and not _EXPRESSION.fullmatch(value):
            raise InputError(f"{what}: has a size {value[:40]!r} that is not a plain expression; {_ADVICE}.")


def _pairs(found: Any) -> Iterator[tuple[str, Any]]:
    """All names with their values, however deep."""
    waiting = [found]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield from one.items()
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:80]
