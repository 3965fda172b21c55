"""Coil sensitivities that are known beforehand, from a file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import normalise
from napari_pogmdm.reading import read_array
from napari_pogmdm.recon.measurement import Measurement


@dataclass(frozen=True, eq=False)
class CoilMaps:
    """Maps (coils, rows, columns) complex64, and the file they came from."""

    values: NDArray[np.complex64]
    file: str

    @property
    def sha256(self) -> str:
        """Name the maps by their numbers."""
        return hashlib.sha256(self.values.tobytes()).hexdigest()

    def on(self, measurement: Measurement) -> Tensor:
        """Give the maps, scaled to a root sum of squares of 1, on the device of a measurement that they fit."""
        wanted = (measurement.coils, *measurement.shape)
        if self.values.shape != wanted:
            raise InputError(
                f"{self.file}: the maps have shape {self.values.shape}, but the run has {wanted}; "
                "maps of all physical coils need --coils 0."
            )
        return normalise(torch.from_numpy(self.values).to(measurement.kspace))


def load_coil_maps(path: Path) -> CoilMaps:
    """Read maps (coils, rows, columns) from a NumPy file."""
    array = read_array(path, "NumPy file of coil maps")
    if array.dtype.kind not in "fc" or array.ndim != 3:
        raise InputError(f"{path}: expected complex maps of shape (coils, rows, columns); save them with numpy.save.")
    values = np.ascontiguousarray(array, dtype=np.complex64)
    if not np.isfinite(values).all() or not values.any():
        raise InputError(f"{path}: the maps are not finite, or all zero; make them again.")
    return CoilMaps(values, str(path.resolve()))
