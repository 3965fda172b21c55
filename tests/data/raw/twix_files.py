"""Siemens files written from the layout of their headers, in both versions."""

from __future__ import annotations

import struct
from pathlib import Path

from data.raw.raw_scans import COLUMNS, ROWS, Readout

ACQEND, LAST, PATREF, PATREF_AND_IMAGE, REFLECT, NOISE, SYNC = 0, 11, 22, 23, 24, 25, 5

PROTOCOL = {
    "sKSpace.lBaseResolution": ROWS,
    "sKSpace.lPhaseEncodingLines": COLUMNS,
    "sKSpace.ucTrajectory": "0x1",
    "sSliceArray.asSlice[0].dReadoutFOV": 240.0,
    "sSliceArray.asSlice[0].dPhaseFOV": 240.0,
    "sSliceArray.asSlice[0].dThickness": 5.0,
    "sPat.ucRefScanMode": "0x2",
    "sProtConsistencyInfo.flNominalB0": 2.89,
    "tProtocolName": '"head"',
}
MEAS = '<ParamLong."iPEFTLength">  { %d }\n<ParamDouble."flReadoutOSFactor">  { <Precision> 16  2.0 }\n'

SOFTWARE = '<ParamString."SoftwareVersions">  { "syngo MR" }\n'


def protocol_bytes(changes: dict[str, object] | None = None, length: int = COLUMNS) -> bytes:
    """The texts of a protocol, with their names and lengths."""
    listed = "### ASCCONV BEGIN ###\n" + "\n".join(f"{k} = {v}" for k, v in (PROTOCOL | (changes or {})).items())
    body = b""
    for name, text in (("Meas", MEAS % length), ("MeasYaps", listed), ("Dicom", SOFTWARE)):
        body += name.encode() + b"\0" + struct.pack("<I", len(text)) + text.encode()
    size = 8 + len(body)
    padded = 12_000  # real protocols have more; shorter ones look like the list of the newer version
    return struct.pack("<II", padded, 3) + body + b"\0" * (padded - size)


def _counters(one: Readout) -> bytes:
    values = (one.step_1, one.average, one.slice, one.step_2, one.contrast, one.phase, one.repetition, one.set)
    return struct.pack("<14H", *values, 0, 0, 0, 0, 0, 0)


def _readout(one: Readout, version: str, centre_line: int, number: int, extra: int = 0) -> bytes:
    coils, samples = one.samples.shape
    flags = sum(1 << bit for bit in one.flags) | extra
    centre = samples // 2 if one.centre is None else one.centre
    place = struct.pack("<7f", *one.position, 2**-0.5, 0, 0, 2**-0.5)
    shared = (
        struct.pack("<HH", samples, coils) + _counters(one) + struct.pack("<HHHH", one.before, one.after, centre, 0)
    )
    shared += struct.pack("<fIHH", 0, 0, centre_line, 0)
    values = one.samples.astype("<c8")
    if version == "vb":
        blocks = b""
        for coil in range(coils):
            header = struct.pack("<IiIII", 128 + 8 * samples, 7, number, 0, 0) + struct.pack("<Q", flags) + shared
            header += b"\0" * 16 + place + struct.pack("<HH", coil, 0)
            assert len(header) == 128
            blocks += header + values[coil].tobytes()
        return blocks
    length = 192 + coils * (32 + 8 * samples)
    header = struct.pack("<IiIIIHHiiiI", length, 7, number, 0, 0, 0, 0, 0, 0, 0, 0) + struct.pack("<Q", flags) + shared
    header += place + b"\0" * 64
    assert len(header) == 192
    return header + b"".join(b"\0" * 32 + values[coil].tobytes() for coil in range(coils))


def _end(version: str) -> bytes:
    size, flags = (128, 20) if version == "vb" else (192, 40)
    block = bytearray(size)
    struct.pack_into("<I", block, 0, size)
    struct.pack_into("<Q", block, flags, 1 << ACQEND)
    return bytes(block)


def measurement(
    readouts: list[Readout], version: str, centre_line: int = COLUMNS // 2, ended: bool = True, **protocol: object
) -> bytes:
    """One measurement: protocol, readouts, and the mark of its end."""
    length = int(protocol.pop("length", COLUMNS))
    text = protocol_bytes(protocol, length)
    body = b"".join(_readout(one, version, centre_line, number) for number, one in enumerate(readouts))
    if version == "vd":  # a block of the scanner's own between two readouts
        block = bytearray(192 + 64)
        struct.pack_into("<I", block, 0, len(block))
        struct.pack_into("<Q", block, 40, 1 << SYNC)
        body = bytes(block) + body
    return text + body + (_end(version) if ended else b"")


def write_twix(path: Path, measurements: list[bytes], version: str) -> Path:
    """A file of measurements; the older version holds one."""
    if version == "vb":
        path.write_bytes(measurements[0])
        return path
    table = bytearray(10240)
    struct.pack_into("<II", table, 0, 0, len(measurements))
    body = b""
    for number, one in enumerate(measurements):
        entry = struct.pack("<IIQQ", 1 + number, 1 + number, len(table) + len(body), len(one)) + b"\0" * 128
        table[8 + 152 * number : 8 + 152 * (number + 1)] = entry
        body += one + b"\0" * (-len(one) % 512)
    path.write_bytes(bytes(table) + body)
    return path
