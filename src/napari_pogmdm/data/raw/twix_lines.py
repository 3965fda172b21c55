"""The headers of readouts in a Siemens file: their layout in both versions, and where each of them stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.raw.file_parts import FileParts
from napari_pogmdm.data.raw.lines import LINE, CancelCheck, LineKind, Lines, Progress
from napari_pogmdm.errors import Cancelled, InputError

_COUNTERS = ("line", "average", "slice", "partition", "echo", "phase", "repetition", "set", "segment")
_SHARED = {
    "samples": ("<u2", 0),
    "channels": ("<u2", 2),
    **{name: ("<u2", 4 + 2 * place) for place, name in enumerate(_COUNTERS)},
    "before": ("<u2", 32),
    "after": ("<u2", 34),
    "centre": ("<u2", 36),
    "centre_line": ("<u2", 48),
    "centre_partition": ("<u2", 50),
}
"""Fields that both versions have in the same order, by bytes from the number of samples on."""


def _layout(size: int, flags: int, samples: int, place: int) -> np.dtype[np.void]:
    fields = {
        "length": ("<u4", 0),
        "measurement": ("<i4", 4),
        "flags": ("<u8", flags),
        **{name: (kind, samples + offset) for name, (kind, offset) in _SHARED.items()},
        "position": (("<f4", 3), place),
        "quaternion": (("<f4", 4), place + 12),
    }
    names, formats, offsets = [], [], []
    for name, (kind, offset) in fields.items():
        names.append(name)
        formats.append(kind)
        offsets.append(offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


@dataclass(frozen=True)
class Version:
    """How readouts are stored.

    Attributes
    ----------
    header
        Of a readout; in the older version, of every coil of it.
    before_readout, before_coil
        Bytes of headers before a readout, and before the samples of each of its coils.
    """

    header: np.dtype[np.void]
    before_readout: int
    before_coil: int


VB = Version(_layout(128, 20, 28, 96), 0, 128)
VD = Version(_layout(192, 40, 48, 100), 192, 32)
"""Layouts of the versions VB, and VD, VE and XA, in bytes as the scanners write them."""

_LENGTH = (1 << 25) - 1  # bits of the first word that count bytes
_BYTES = 8  # of a sample: two single-precision numbers
_FEW, _MANY = 16, 1024  # readouts looked at together: at first, and at most, as the number doubles while they are alike
_MOST_CHANNELS = 1024  # more than any receive array has, so that more is a damaged header

# Bits of the flags.
_END, _FEEDBACK, _SYNC, _LAST, _STABILISE, _SIGN = 0, (1, 2), 5, 11, (14, 15), 17
_PHASE_CORRECTION, _REFERENCE, _REFERENCE_AND_IMAGE, _REVERSED, _NOISE = 21, 22, 23, 24, 25


@dataclass(frozen=True, eq=False)
class TwixLines:
    """Readouts of a measurement.

    Attributes
    ----------
    lines
        In the order of the file.
    offsets
        Of their first byte in the file.
    negative
        Whether their sign is to be turned.
    centre_1, centre_2
        Line and partition at zero frequency; ``None`` where the file leaves them at zero.
    """

    lines: Lines
    offsets: NDArray[np.int64]
    negative: NDArray[np.bool_]
    centre_1: int | None
    centre_2: int | None


def index_lines(
    file: FileParts,
    start: int,
    end: int,
    version: Version,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
) -> TwixLines:
    """Walk through a measurement from readout to readout; equal ones are looked at together.

    Parameters
    ----------
    file
        Its bytes, of which headers alone are read.
    start, end
        Of the measurement.
    version
        How it is stored.
    progress
        Is told the share that is done.
    cancelled
        Asked now and then whether to stop.
    """
    found: list[NDArray[np.void]] = []
    offsets: list[NDArray[np.int64]] = []
    place, finished, together = start, False, _FEW
    while place + version.header.itemsize <= end:
        if cancelled is not None and cancelled():
            raise Cancelled
        first = file.records(place, version.header, 1, version.header.itemsize)[0]
        flags = int(first["flags"])
        stated = int(first["length"]) & _LENGTH
        if flags & _bit(_END):
            finished = True
            break
        if flags & _bit(_SYNC):
            if stated < version.header.itemsize:
                raise InputError(f"{file.name}: is damaged {place} bytes from its start; copy it again.")
            place += stated
            continue
        length = readout_bytes(version, int(first["channels"]), int(first["samples"]))
        if not 1 <= first["channels"] <= _MOST_CHANNELS or first["samples"] < 1:
            raise InputError(f"{file.name}: is damaged {place} bytes from its start; copy it again.")
        count = min(together, (end - place) // length)
        if count == 0:
            break
        headers = file.records(place, version.header, count, length)
        alike = (headers["samples"] == first["samples"]) & (headers["channels"] == first["channels"])
        alike &= (headers["measurement"] == first["measurement"]) & (headers["flags"] & _bit(_END, _SYNC) == 0)
        kept = count if alike.all() else int(np.argmin(alike))
        together = min(_MANY, 2 * together) if kept == count else _FEW
        found.append(headers[:kept].copy())
        offsets.append(place + length * np.arange(kept, dtype=np.int64))
        place += kept * length
        if progress is not None:
            progress(min(1.0, (place - start) / max(1, end - start)))
    if not found:
        raise InputError(f"{file.name}: holds no readouts; the measurement is empty or the file is cut short.")
    headers = np.concatenate(found)
    if not finished and not int(headers["flags"][-1]) & _bit(_LAST):
        raise InputError(
            f"{file.name}: ends in the middle of the measurement, after {len(headers)} readouts; copy it again."
        )
    return _gather(headers, np.concatenate(offsets))


def readout_bytes(version: Version, channels: int, samples: int) -> int:
    """Count the bytes of a readout of all its coils."""
    return version.before_readout + channels * (version.before_coil + _BYTES * samples)


def _bit(*bits: int) -> int:
    return sum(1 << bit for bit in bits)


def _gather(headers: NDArray[np.void], offsets: NDArray[np.int64]) -> TwixLines:
    lines = np.zeros(len(headers), dtype=LINE)
    names = {"step_1": "line", "step_2": "partition", "contrast": "echo", "coils": "channels"}
    same = ("average", "slice", "phase", "repetition", "set", "samples", "centre", "before", "after", "position")
    for ours, theirs in (*names.items(), *zip(same, same, strict=True)):
        lines[ours] = headers[theirs]
    lines["directions"] = directions_of(headers["quaternion"])
    flags = headers["flags"]

    def flagged(*bits: int) -> NDArray[np.bool_]:
        return np.asarray((flags & np.uint64(_bit(*bits))) != 0)

    kinds = (
        (flagged(_NOISE), LineKind.NOISE),
        (flagged(_REFERENCE) & ~flagged(_REFERENCE_AND_IMAGE), LineKind.CALIBRATION),
        (flagged(_REVERSED), LineKind.REVERSED),
        (flagged(_PHASE_CORRECTION), LineKind.PHASE_CORRECTION),
        (flagged(*_FEEDBACK, *_STABILISE), LineKind.NAVIGATOR),
    )
    for where, kind in kinds:
        lines["kind"] |= np.where(where, int(kind), 0).astype(lines["kind"].dtype)
    image = lines["kind"] == 0
    centres = [int(headers[key][image].max()) if image.any() else 0 for key in ("centre_line", "centre_partition")]
    return TwixLines(lines, offsets, flagged(_SIGN), centres[0] or None, centres[1] or None)


def directions_of(quaternions: NDArray[np.floating]) -> NDArray[np.float32]:
    """Turn quaternions (readouts, 4), real part first, into directions of readout, phase encoding and slice.

    The columns of the rotation are those of phase encoding, readout and slice, towards left, back and head.
    """
    with np.errstate(all="ignore"):
        w, x, y, z = np.asarray(quaternions, dtype=np.float64).T
        phase = np.stack((1 - 2 * (y**2 + z**2), 2 * (x * y + z * w), 2 * (x * z - y * w)), axis=-1)
        readout = np.stack((2 * (x * y - z * w), 1 - 2 * (x**2 + z**2), 2 * (y * z + x * w)), axis=-1)
        through = np.stack((2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x**2 + y**2)), axis=-1)
        return np.stack((readout, phase, through), axis=1).astype(np.float32)
