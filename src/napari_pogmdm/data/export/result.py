"""The arrays of a result file, for other formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from napari_pogmdm.data.export.images import ImageStack
from napari_pogmdm.data.hdf5 import check_read_size, open_hdf5, plain_dataset
from napari_pogmdm.errors import InputError

IMAGES = ("reconstruction", "complex_image", "mean", "variance", "std", "noise_map", "g_factor")
"""Arrays of a result that are images."""


def is_result(path: Path) -> bool:
    """Tell whether an HDF5 file is a result rather than a scan."""
    with open_hdf5(path) as file:
        return "reconstruction" in file and "kspace" not in file


def read_result(path: Path, array: str, slices: list[int] | None = None) -> ImageStack:
    """Read images of a result with their places.

    Parameters
    ----------
    path
        Of the result.
    array
        Which of `IMAGES`.
    slices
        Which rows of the file; all by default.
    """
    if array not in IMAGES:
        raise InputError(f"--array: {array!r} is not an image of a result; choose from {', '.join(IMAGES)}.")
    with open_hdf5(path) as file:
        dataset = plain_dataset(file, array)
        if dataset is None:
            raise InputError(f"{path.name}: holds no {array}; it holds {', '.join(sorted(map(str, file)))}.")
        if dataset.ndim != 3 or 0 in dataset.shape or dataset.dtype.kind not in "fc":
            raise InputError(f"{path.name}: {array} is not laid out as in a result of this program; write it again.")
        chosen = list(range(len(dataset))) if slices is None else slices
        if any(not 0 <= one < len(dataset) for one in chosen):
            raise InputError(f"{path.name}: holds {len(dataset)} slices, numbered from 0; --slice names another one.")
        check_read_size(dataset, int(np.prod(dataset.shape[1:], dtype=np.int64)) * len(chosen), path.name)
        values = np.stack([np.asarray(dataset[one]) for one in chosen])
        places = plain_dataset(file, "affine")
        affines = None
        if places is not None and places.shape == (len(dataset), 4, 4) and places.dtype.kind == "f":
            affines = np.asarray(places[()], dtype=np.float64)[chosen]
            affines = affines if np.isfinite(affines).all() and np.abs(affines[:, :3, :3]).any() else None
    if not np.isfinite(values).all():
        raise InputError(f"{path.name}: {array} holds NaN or infinite values; the file is damaged, write it again.")
    return ImageStack(values, affines, path.stem)
