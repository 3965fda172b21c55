"""Siemens raw data (twix, ``.dat``), versions VB, VD, VE and XA; only what is asked for is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.raw.file_parts import FileParts, file_parts
from napari_pogmdm.data.raw.grid import echo_places, kept_samples
from napari_pogmdm.data.raw.lines import CancelCheck, Encoding, Indices, LineKind, Lines, Progress, image_lines
from napari_pogmdm.data.raw.twix_lines import VB, VD, TwixLines, Version, index_lines, readout_bytes
from napari_pogmdm.data.raw.twix_protocol import LARGEST_PROTOCOL, Protocol, encoding_of, split_protocol
from napari_pogmdm.errors import InputError

_MOST_MEASUREMENTS = 64  # that a file of the newer versions can list
_SMALL_NUMBER = 10_000  # below it, the first word of a file is a number of its list, and not the length of a protocol
_ENTRY = 152  # bytes of an entry of that list
_SHORTEST_PROTOCOL = 16  # bytes: its length, the number of its texts, and a name
_NOISE_LINES = 256  # of the noise scan are enough for a covariance


@dataclass(frozen=True, eq=False)
class TwixFile:
    """The readouts of a Siemens file; see `napari_pogmdm.data.raw.lines.RawSource`.

    Attributes
    ----------
    path
        Of the file.
    version
        How its readouts are stored.
    found
        Those of the measurement.
    noise
        Those of noise in the measurements before it.
    encoding
        What the protocol says.
    remarks
        What a reader of the card should know about the file.
    """

    path: Path
    version: Version
    found: TwixLines
    noise: TwixLines | None
    encoding: Encoding
    remarks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    @property
    def lines(self) -> Lines:
        """All readouts of the measurement, in the order of the file."""
        return self.found.lines

    def read(self, indices: Indices) -> Iterator[NDArray[np.complex64]]:
        """Give the samples (coils, samples) of some readouts, one by one."""
        return self._read(self.found, indices)

    def read_noise(self) -> Iterator[NDArray[np.complex64]]:
        """Give noise (coils, samples): that of the measurement, or else of those before it."""
        own = np.flatnonzero(self.lines["kind"] & int(LineKind.NOISE))[:_NOISE_LINES]
        if len(own) or self.noise is None:
            return self._read(self.found, own)
        return self._read(self.noise, np.flatnonzero(self.noise.lines["kind"] & int(LineKind.NOISE))[:_NOISE_LINES])

    def read_trajectories(self, indices: Indices) -> Iterator[NDArray[np.float32]]:
        """Give nothing: Siemens files hold no trajectories."""
        return iter(())

    def _read(self, found: TwixLines, indices: Indices) -> Iterator[NDArray[np.complex64]]:
        if not len(indices):
            return
        with file_parts(self.path) as file:
            for number in indices:
                line, start = found.lines[number], int(found.offsets[number])
                coils, samples = int(line["coils"]), int(line["samples"])
                length = readout_bytes(self.version, coils, samples)
                if start + length > len(file):
                    raise InputError(f"{self.name}: has become shorter since it was opened; open it again.")
                block = np.frombuffer(file.part(start, length), np.uint8)[self.version.before_readout :]
                values = np.ascontiguousarray(block.reshape(coils, -1)[:, self.version.before_coil :]).view("<c8")
                yield -values if found.negative[number] else values


def looks_like_twix(path: Path) -> bool:
    """Tell a Siemens file by its first words: a list of measurements, or a protocol with named texts."""
    try:
        with file_parts(path) as file:
            return bool(_measurements(file))
    except InputError:
        return False


def open_twix(path: Path, progress: Progress | None = None, cancelled: CancelCheck | None = None) -> TwixFile:
    """Index the last measurement of a Siemens file, and the noise of those before it.

    Parameters
    ----------
    path
        Of the file.
    progress
        Is told the share of the measurement that is indexed.
    cancelled
        Asked now and then whether to stop.
    """
    with file_parts(path) as file:
        measurements = _measurements(file)
        version = VD if _is_list(file) else VB
        start, end = measurements[-1]
        protocol, begin = _protocol(file, start, end)
        found = index_lines(file, begin, end, version, progress, cancelled)
        has_noise = bool((found.lines["kind"] & int(LineKind.NOISE)).any())
        noise = None if has_noise else _noise_before(file, measurements[:-1], version)
    image = image_lines(found.lines, merged=False)
    remarks = [] if len(measurements) == 1 else [f"the last of {len(measurements)} measurements"]
    lines = found.lines[image] if image.any() else found.lines
    reach = int(2 * np.maximum(echo_places(lines), kept_samples(lines) - echo_places(lines)).max())
    encoding = encoding_of(protocol, reach, int(lines["step_1"].max()) + 1)
    if (protocol.number("sSliceAcceleration.lMultiBandFactor") or 1) > 1:
        found.lines["kind"] |= int(LineKind.MULTIBAND)
    encoding = replace(encoding, centre_1=found.centre_1, centre_2=found.centre_2)
    return TwixFile(path, version, found, noise, encoding, tuple(remarks))


def _is_list(file: FileParts) -> bool:
    """Whether the file begins with a list of measurements, as from version VD on."""
    return file.word(0) < _SMALL_NUMBER and 1 <= file.word(4) <= _MOST_MEASUREMENTS


def _measurements(file: FileParts) -> list[tuple[int, int]]:
    """List first and one past the last byte of every measurement."""
    if len(file) < _SHORTEST_PROTOCOL:
        raise InputError(f"{file.name}: is too short for raw data; copy it again.")
    if not _is_list(file):
        if _SHORTEST_PROTOCOL <= file.word(0) < len(file) and 1 <= file.word(4) <= _MOST_MEASUREMENTS:
            return [(0, len(file))]
        raise InputError(f"{file.name}: is not raw data of Siemens; {_OTHERS}.")
    found = []
    for number in range(file.word(4)):
        entry = 8 + number * _ENTRY
        start, length = file.word(entry + 8, 8), file.word(entry + 16, 8)
        end = start + length if length else len(file)
        if start < entry + _ENTRY or start >= len(file) or end > len(file):
            raise InputError(
                f"{file.name}: lists a measurement at bytes {start} to {end}, but has {len(file)}; it is cut short, "
                "copy it again."
            )
        found.append((start, end))
    return found


_OTHERS = "give a twix file (meas_....dat)"


def _protocol(file: FileParts, start: int, end: int) -> tuple[Protocol, int]:
    """Read the protocol of a measurement, and where its readouts begin."""
    length = file.word(start)
    if not _SHORTEST_PROTOCOL <= length <= min(end - start, LARGEST_PROTOCOL):
        raise InputError(f"{file.name}: its protocol is damaged or cut short; copy the file again.")
    return Protocol(split_protocol(file.part(start, length), file.name), file.name), start + length


def _noise_before(file: FileParts, measurements: list[tuple[int, int]], version: Version) -> TwixLines | None:
    """Find the noise scan in an earlier measurement; one that cannot be read is none."""
    for start, end in reversed(measurements):
        try:
            _, begin = _protocol(file, start, end)
            found = index_lines(file, begin, end, version)
        except InputError:
            continue
        if (found.lines["kind"] & int(LineKind.NOISE)).any():
            return found
    return None
