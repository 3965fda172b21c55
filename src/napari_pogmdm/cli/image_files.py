"""Reading and writing image files, with their values and their position in space kept."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from napari_pogmdm.data.images import import_nibabel, read_nifti, save_nifti
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file
from napari_pogmdm.reading import check_held, is_file, read_array, reading, shown

_NIFTI = (".nii", ".nii.gz")
_ENDINGS = (".npy", ".png", *_NIFTI)
_WHITE_8_BITS, _WHITE_16_BITS = 255.0, 65535.0  # the largest grey values of a PNG


@dataclass(frozen=True, eq=False)
class PlacedImages:
    """Images with their place in space.

    Attributes
    ----------
    values
        (..., rows, columns), float32 or complex64 once they are read.
    affine
        (4, 4) from voxels to millimetres, as NIfTI has it; ``None`` if the file did not say.
    """

    values: NDArray[Any]
    affine: NDArray[np.float64] | None = None

    def with_values(self, values: NDArray[Any]) -> PlacedImages:
        """Put other values in the same place."""
        return dataclasses.replace(self, values=values)


def check_ending(path: Path) -> None:
    """Refuse, before any work, a result whose format is unknown."""
    if not path.name.lower().endswith(_ENDINGS):
        raise InputError(f"--out: {path.name} has no known ending; choose one of {', '.join(_ENDINGS)}.")


def read_image(path: Path) -> PlacedImages:
    """Read an image file; floating-point values stay as they are, PNG values become 0 to 1."""
    if not is_file(path):
        raise InputError(f"{shown(path)}: no such file; check the spelling.")
    name = path.name.lower()
    if name.endswith(_NIFTI):
        found = PlacedImages(*read_nifti(path))
    elif name.endswith(".npy"):
        found = PlacedImages(read_array(path, "NumPy array file"))
    elif name.endswith(".png"):
        found = PlacedImages(_read_png(path))
    else:
        raise InputError(f"{path.name}: unknown kind of image; give one of {', '.join(_ENDINGS)}.")
    values = found.values
    if values.ndim < 2 or 0 in values.shape or values.dtype.kind not in "fciub":
        raise InputError(f"{path.name}: holds {values.dtype} values of shape {values.shape}, which is not an image.")
    values = np.ascontiguousarray(values, dtype=np.complex64 if values.dtype.kind == "c" else np.float32)
    if not np.isfinite(values).all():
        raise InputError(f"{path.name}: contains NaN or infinity; replace them first.")
    return found.with_values(values)


def write_image(image: PlacedImages, path: Path) -> None:
    """Write images as .npy or NIfTI with their values, or a single one as 16-bit PNG with 0 to 1 as black to white.

    Parameters
    ----------
    image
        The values and their place, which NIfTI keeps.
    path
        Of the file; its ending decides about the format.
    """
    values = image.values
    name = path.name.lower()
    if name.endswith(".npy"):
        with whole_file(path) as stream:
            np.save(stream, values)
    elif name.endswith(".png"):
        if values.squeeze().ndim != 2:
            raise InputError(
                f"out: {path.name} can hold only one slice, not shape {values.shape}; choose .npy or NIfTI."
            )
        magnitude = np.abs(values.squeeze()) if np.iscomplexobj(values) else values.squeeze()
        grey = (np.clip(magnitude, 0, 1) * _WHITE_16_BITS + 0.5).astype(np.uint16)
        with whole_file(path) as stream:
            Image.fromarray(grey).save(stream, format="PNG")
    else:
        nibabel = import_nibabel(path.name)
        affine = np.eye(4) if image.affine is None else image.affine
        save_nifti(nibabel.Nifti1Image(values.T, affine), path)


def _read_png(path: Path) -> NDArray[Any]:
    with reading(path, "PNG"), Image.open(path, formats=("PNG",)) as image:
        if image.mode not in ("L", "LA", "I;16", "I", "1"):
            raise InputError(f"{path.name}: is a colour picture ({image.mode}); convert it to grey first.")
        check_held(2 * image.width * image.height, path.stat().st_size, path.name)
        pixels = np.asarray(image if image.mode != "LA" else image.convert("L"))
        white = _WHITE_16_BITS if image.mode in ("I;16", "I") else 1.0 if image.mode == "1" else _WHITE_8_BITS
    return pixels.astype(np.float32) / np.float32(white)
