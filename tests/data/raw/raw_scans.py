"""A head in a scanner: k-space of an image with known coils, and the same written as an ISMRMRD file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import ismrmrd
import numpy as np

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulated_coils

HEADER = """<?xml version="1.0"?>
<ismrmrdHeader xmlns="http://www.ismrm.org/ISMRMRD">
  <measurementInformation><protocolName>head</protocolName></measurementInformation>
  <acquisitionSystemInformation><systemFieldStrength_T>1.5</systemFieldStrength_T></acquisitionSystemInformation>
  <encoding>
    <encodedSpace><matrixSize><x>{x}</x><y>{y}</y><z>{z}</z></matrixSize>
      <fieldOfView_mm><x>{view_x}</x><y>240</y><z>{view_z}</z></fieldOfView_mm></encodedSpace>
    <reconSpace><matrixSize><x>{rx}</x><y>{y}</y><z>1</z></matrixSize>
      <fieldOfView_mm><x>240</x><y>240</y><z>{view_z}</z></fieldOfView_mm></reconSpace>
    <encodingLimits><kspace_encoding_step_1><minimum>0</minimum><maximum>{last}</maximum>
      <center>{centre}</center></kspace_encoding_step_1></encodingLimits>
    <trajectory>{trajectory}</trajectory>
    <parallelImaging><calibrationMode>{calibration}</calibrationMode></parallelImaging>
  </encoding>
</ismrmrdHeader>"""

ROWS, COLUMNS, COILS = 32, 24, 4


def to_kspace(images: np.ndarray, axes: tuple[int, ...] = (-2, -1)) -> np.ndarray:
    """Centred, orthonormal transform."""
    return np.fft.fftshift(np.fft.fftn(np.fft.ifftshift(images, axes=axes), axes=axes, norm="ortho"), axes=axes)


def head(rows: int = ROWS, columns: int = COLUMNS, coils: int = COILS) -> np.ndarray:
    """Coil images (coils, rows, columns) that lie inside the field of view."""
    return simulated_coils(coils, (rows, columns)) * shepp_logan((rows, columns))


def oversampled(images: np.ndarray) -> np.ndarray:
    """The same images in twice the field of view along the readout."""
    rows = images.shape[-2]
    return np.pad(images, [(0, 0)] * (images.ndim - 2) + [(rows // 2, rows // 2), (0, 0)])


@dataclass
class Readout:
    """One line: samples (coils, samples), where it belongs, and what it is."""

    samples: np.ndarray
    step_1: int = 0
    step_2: int = 0
    slice: int = 0
    contrast: int = 0
    repetition: int = 0
    set: int = 0
    phase: int = 0
    average: int = 0
    centre: int | None = None
    before: int = 0
    after: int = 0
    flags: tuple[int, ...] = ()
    trajectory: np.ndarray | None = None
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)


def lines_of(kspace: np.ndarray, columns: Iterable[int] | None = None, **where: object) -> list[Readout]:
    """The readouts of k-space (coils, rows, columns)."""
    chosen = range(kspace.shape[2]) if columns is None else columns
    return [Readout(kspace[:, :, column], step_1=column, **where) for column in chosen]


def write_ismrmrd(path: Path, readouts: list[Readout], **header: object) -> Path:
    """Write readouts with the reference library."""
    facts = {
        "x": 2 * ROWS, "y": COLUMNS, "z": 1, "rx": ROWS, "view_x": 480, "view_z": 5, "last": COLUMNS - 1,
        "centre": COLUMNS // 2, "trajectory": "cartesian", "calibration": "embedded",
    } | header  # fmt: skip
    path.unlink(missing_ok=True)
    file = ismrmrd.Dataset(str(path), "dataset", create_if_needed=True)
    file.write_xml_header(HEADER.format(**facts).encode())
    for one in readouts:
        trajectory = None if one.trajectory is None else one.trajectory.astype(np.float32)
        line = ismrmrd.Acquisition.from_array(np.ascontiguousarray(one.samples, np.complex64), trajectory)
        line.idx.kspace_encode_step_1, line.idx.kspace_encode_step_2 = one.step_1, one.step_2
        for name in ("slice", "contrast", "repetition", "set", "phase", "average"):
            setattr(line.idx, name, getattr(one, name))
        line.center_sample = one.samples.shape[1] // 2 if one.centre is None else one.centre
        line.discard_pre, line.discard_post = one.before, one.after
        line.position[:] = one.position
        line.read_dir[:], line.phase_dir[:], line.slice_dir[:] = (1, 0, 0), (0, 1, 0), (0, 0, 1)
        for flag in one.flags:
            line.setFlag(flag)
        file.append_acquisition(line)
    file.close()
    return path
