"""ISMRMRD raw data (HDF5): headers of all readouts are indexed once, samples are read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.hdf5 import open_hdf5
from napari_pogmdm.data.header import LARGEST_HEADER
from napari_pogmdm.data.raw.file_parts import file_parts
from napari_pogmdm.data.raw.ismrmrd_header import parse_encoding
from napari_pogmdm.data.raw.ismrmrd_table import ReadoutTable, check_layout
from napari_pogmdm.data.raw.lines import LINE, CancelCheck, Encoding, Indices, LineKind, Lines, Progress
from napari_pogmdm.errors import Cancelled, InputError

_BLOCK = 2048  # readouts indexed between two looks at whether the user still wants them
_MOST_COMPRESSED = 1032  # deflate cannot do better, so a larger table is an invention
_MOST_LINES = 20_000_000  # readouts; an hour at a readout in 0.2 ms
_NOISE_LINES = 256  # of the noise scan are enough for a covariance

# Bits of the flags, counted from 1 as the format does.
_NOISE, _CALIBRATION, _CALIBRATION_AND_IMAGE, _REVERSED, _PHASE_CORRECTION = 19, 20, 21, 22, 24
_NO_IMAGE = (23, 26, 27, 28, 29, 30, 31)  # navigation, feedback, dummies, surface-coil and stabilisation scans

_COUNTERS = {
    "step_1": "kspace_encode_step_1",
    "step_2": "kspace_encode_step_2",
    **{name: name for name in ("average", "slice", "contrast", "phase", "repetition", "set")},
}
_SIZES = {
    "samples": "number_of_samples",
    "coils": "active_channels",
    "centre": "center_sample",
    "before": "discard_pre",
    "after": "discard_post",
    "dimensions": "trajectory_dimensions",
}


@dataclass(frozen=True, eq=False)
class IsmrmrdFile:
    """The readouts of an ISMRMRD file; see `napari_pogmdm.data.raw.lines.RawSource`.

    Attributes
    ----------
    path
        Of the file.
    group
        Of the HDF5 file that holds them.
    lines
        All readouts, in the order of the file.
    encoding
        What the header says.
    remarks
        What a reader of the card should know about the file.
    """

    path: Path
    group: str
    lines: Lines
    encoding: Encoding
    remarks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    def read(self, indices: Indices) -> Iterator[NDArray[np.complex64]]:
        """Give the samples (coils, samples) of some readouts, one by one."""
        for number, values in self._values("data", indices):
            line = self.lines[number]
            shape = (int(line["coils"]), int(line["samples"]))
            if values.size != 2 * shape[0] * shape[1]:
                raise InputError(
                    f"{self.name}: readout {number} holds {values.size // 2} samples, but its header says {shape[0]} "
                    f"coils of {shape[1]}; the file is damaged, copy it again."
                )
            yield np.ascontiguousarray(values, dtype="<f4").view(np.complex64).reshape(shape)

    def read_noise(self) -> Iterator[NDArray[np.complex64]]:
        """Give noise (coils, samples), as far as the file has any."""
        return self.read(np.flatnonzero(self.lines["kind"] & int(LineKind.NOISE))[:_NOISE_LINES])

    def read_trajectories(self, indices: Indices) -> Iterator[NDArray[np.float32]]:
        """Give the trajectories (samples, dimensions) of some readouts, as the file has them."""
        for number, values in self._values("traj", indices):
            line = self.lines[number]
            shape = (int(line["samples"]), int(line["dimensions"]))
            if values.size != shape[0] * shape[1]:
                raise InputError(f"{self.name}: readout {number} lacks its trajectory; export the file again.")
            yield np.ascontiguousarray(values, dtype=np.float32).reshape(shape)

    def _values(self, field: str, indices: Indices) -> Iterator[tuple[int, NDArray[Any]]]:
        """Read one field of readouts, run by run, as neighbours are read together."""
        if not len(indices):
            return
        breaks = np.flatnonzero(np.diff(indices) != 1) + 1
        with open_hdf5(self.path) as file:
            data = file[self.group]["data"]
            with file_parts(self.path) as parts:
                check_layout(data, self.name)
                table = ReadoutTable(data, parts)
                for run in np.split(np.asarray(indices), breaks):
                    for start in range(0, len(run), _RUN):
                        part = run[start : start + _RUN]
                        ends = int(part[0]), int(part[-1]) + 1
                        yield from zip(map(int, part), table.values(field, *ends), strict=True)


_RUN = 64  # readouts held in memory at once while a slice is laid out


def is_ismrmrd(file: h5py.File) -> bool:
    """Tell whether an HDF5 file holds ISMRMRD raw data."""
    return _find_group(file) is not None


def open_ismrmrd(path: Path, progress: Progress | None = None, cancelled: CancelCheck | None = None) -> IsmrmrdFile:
    """Index an ISMRMRD file.

    Parameters
    ----------
    path
        Of the file.
    progress
        Is told the share of readouts that are indexed.
    cancelled
        Asked now and then whether to stop.
    """
    with open_hdf5(path) as file:
        group = _find_group(file)
        if group is None:
            raise InputError(f"{path.name}: holds no ISMRMRD raw data.")
        data = file[group]["data"]
        _check_table(data, path.name)
        check_layout(data, path.name)
        lines = np.zeros(len(data), dtype=LINE)
        spaces = np.zeros(len(data), dtype=np.int64)
        for start in range(0, len(data), _BLOCK):
            if cancelled is not None and cancelled():
                raise Cancelled
            part = slice(start, min(start + _BLOCK, len(data)))
            head = _heads(data, part.start, part.stop, path)
            _fill(lines[part], head)
            spaces[part] = head["encoding_space_ref"]
            if progress is not None:
                progress(part.stop / len(data))
        image = (lines["kind"] & int(LineKind.NOISE | LineKind.NAVIGATOR | LineKind.CALIBRATION)) == 0
        used = np.unique(spaces[image]) if image.any() else np.array([0])
        encoding = parse_encoding(_header_text(file[group], path.name), path.name, int(used[0]))
    if len(used) > 1:
        keep = spaces == used[0]
        lines, remarks = lines.copy(), (f"the first of {len(used)} encoding spaces",)
        lines["kind"][~keep] |= int(LineKind.NAVIGATOR)
        return IsmrmrdFile(path, group, lines, encoding, remarks)
    return IsmrmrdFile(path, group, lines, encoding)


def _find_group(file: h5py.File) -> str | None:
    """Name the group that holds ``data`` and ``xml`` in this very file; "dataset", where there are several."""
    found = []
    for name in sorted(map(str, file)):
        if not isinstance(file.get(name, getlink=True), h5py.HardLink) or not isinstance(file[name], h5py.Group):
            continue
        members = [file[name].get(member, getlink=True) for member in ("data", "xml")]
        if all(isinstance(member, h5py.HardLink) for member in members):
            found.append(name)
    return "dataset" if "dataset" in found else (found[0] if found else None)


def _check_table(data: Any, name: str) -> None:
    """Refuse a table of readouts that is none, or larger than the file."""
    if not isinstance(data, h5py.Dataset) or data.external or data.is_virtual or data.ndim != 1:
        raise InputError(f"{name}: its table of readouts is not laid out as ISMRMRD has it; export it again.")
    names = data.dtype.names or ()
    if not {"head", "traj", "data"} <= set(names) or any(data.dtype[one].kind != "O" for one in ("traj", "data")):
        raise InputError(f"{name}: its table of readouts is not laid out as ISMRMRD has it; export it again.")
    head = data.dtype["head"].names or ()
    wanted = {*_SIZES.values(), "flags", "idx", "position", "read_dir", "phase_dir", "slice_dir", "encoding_space_ref"}
    if not wanted <= set(head) or not set(_COUNTERS.values()) <= set(data.dtype["head"]["idx"].names or ()):
        raise InputError(f"{name}: the headers of its readouts lack fields; export it again with a current ISMRMRD.")
    if any(h5py.check_vlen_dtype(data.dtype[one]) != np.dtype("f4") for one in ("traj", "data")):
        raise InputError(f"{name}: its samples are not floating-point numbers; export it again.")
    if len(data) == 0:
        raise InputError(f"{name}: holds no readouts; the measurement is empty.")
    stored = data.id.get_storage_size() * (_MOST_COMPRESSED if data.compression else 1)
    if len(data) > _MOST_LINES or len(data) * data.id.get_type().get_size() > stored:
        raise InputError(f"{name}: its header lists {len(data)} readouts, more than the file holds; copy it again.")


def _heads(data: h5py.Dataset, start: int, stop: int, path: Path) -> NDArray[np.void]:
    """Read the headers of some readouts."""
    with file_parts(path) as parts:
        return np.asarray(ReadoutTable(data, parts).rows(start, stop)["head"])


def _header_text(group: h5py.Group, name: str) -> bytes | str:
    document = group["xml"]
    if not isinstance(document, h5py.Dataset) or document.external or document.size != 1:
        raise InputError(f"{name}: its header is not one text; export the file again.")
    if h5py.check_string_dtype(document.dtype) is None or document.dtype.itemsize > LARGEST_HEADER:
        raise InputError(f"{name}: its header is not one text; export the file again.")
    found = document[()] if document.shape == () else document[(0,) * document.ndim]
    if not isinstance(found, (bytes, str)):
        raise InputError(f"{name}: its header is not one text; export the file again.")
    return found


def _fill(lines: Lines, head: NDArray[np.void]) -> None:
    """Copy what is needed of the headers of some readouts."""
    for ours, theirs in _COUNTERS.items():
        lines[ours] = head["idx"][theirs]
    for ours, theirs in _SIZES.items():
        lines[ours] = head[theirs]
    lines["position"] = head["position"]
    for axis, direction in enumerate(("read_dir", "phase_dir", "slice_dir")):
        lines["directions"][:, axis] = head[direction]
    flags = np.asarray(head["flags"], dtype=np.uint64)

    def flagged(*bits: int) -> NDArray[np.bool_]:
        wanted = np.uint64(sum(1 << (bit - 1) for bit in bits))
        return np.asarray((flags & wanted) != 0)

    kinds = (
        (flagged(_NOISE), LineKind.NOISE),
        (flagged(_CALIBRATION) & ~flagged(_CALIBRATION_AND_IMAGE), LineKind.CALIBRATION),
        (flagged(_REVERSED), LineKind.REVERSED),
        (flagged(_PHASE_CORRECTION), LineKind.PHASE_CORRECTION),
        (flagged(*_NO_IMAGE), LineKind.NAVIGATOR),
    )
    for where, kind in kinds:
        lines["kind"] |= np.where(where, int(kind), 0).astype(lines["kind"].dtype)
