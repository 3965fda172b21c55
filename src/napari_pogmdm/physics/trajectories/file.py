"""Trajectories in NumPy files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file
from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.reading import read_array

_LARGEST = 2**28  # bytes; sixteen million samples of one slice
_ROUNDING = 1e-6  # cycles per pixel: single precision cannot tell less apart


def load_trajectory(path: Path, shape: tuple[int, int]) -> Trajectory:
    """Read places (samples, 2) or (readouts, samples, 2), along rows and columns in cycles per pixel.

    Parameters
    ----------
    path
        A .npy file.
    shape
        Rows and columns of the image.
    """
    array = read_array(path, "NumPy trajectory")
    if array.dtype.kind not in "fiu" or array.nbytes > _LARGEST:
        raise InputError(f"{path}: holds no positions of a slice's samples; save (samples, 2) with numpy.save.")
    try:
        return Trajectory(as_positions(array), shape)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def save_trajectory(trajectory: Trajectory, path: Path) -> None:
    """Write the places (samples, 2) of a trajectory as a NumPy file, which `load_trajectory` reads again."""
    if path.suffix.lower() != ".npy":
        raise InputError(f"{path}: does not end in .npy; trajectories are saved as NumPy files.")
    with whole_file(path) as stream:
        np.save(stream, trajectory.positions)


def as_positions(array: NDArray[Any]) -> NDArray[np.float32]:
    """Bring an array (..., 2) into the form (samples, 2) of a trajectory.

    Half a cycle per pixel is the same as minus half a cycle, as pixels are whole numbers apart; scanners write either.
    """
    places = np.array(array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array, dtype=np.float32)
    places[(places >= 0.5) & (places <= 0.5 + _ROUNDING)] = -0.5
    return places
