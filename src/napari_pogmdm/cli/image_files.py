"""Image files that go in and come out with their values and their place in space kept."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.images import import_nibabel, read_nifti
from napari_pogmdm.errors import InputError

_NIFTI = (".nii", ".nii.gz")
_KINDS = (".npy", ".png", *_NIFTI)


@dataclass(frozen=True, eq=False)
class Picture:
    """Images (..., rows, columns), float32 or complex64, and where they lie in space if the file said it."""

    values: NDArray[Any]
    affine: NDArray[np.float64] | None = None

    def replaced(self, values: NDArray[Any]) -> Picture:
        """Put other values in the same place."""
        return dataclasses.replace(self, values=values)


def check_output(path: Path) -> None:
    """Refuse, before any work, a result that could not be written."""
    if not path.name.lower().endswith(_KINDS):
        raise InputError(f"out: {path.name} has no known ending; choose one of {', '.join(_KINDS)}.")
    if not path.parent.is_dir():
        raise InputError(f"out: the folder {path.parent} does not exist; make it first.")


def read_picture(path: Path) -> Picture:
    """Read an image file; floating-point values stay as they are, PNG values become 0 to 1."""
    if not path.is_file():
        raise InputError(f"{path}: no such file; check the spelling.")
    name = path.name.lower()
    if name.endswith(_NIFTI):
        picture = Picture(*read_nifti(path))
    elif name.endswith(".npy"):
        picture = Picture(_read_npy(path))
    elif name.endswith(".png"):
        picture = Picture(_read_png(path))
    else:
        raise InputError(f"{path.name}: unknown kind of image; give one of {', '.join(_KINDS)}.")
    values = picture.values
    if values.ndim < 2 or 0 in values.shape or values.dtype.kind not in "fciub":
        raise InputError(f"{path.name}: holds {values.dtype} values of shape {values.shape}, which is no image.")
    values = np.ascontiguousarray(values, dtype=np.complex64 if values.dtype.kind == "c" else np.float32)
    if not np.isfinite(values).all():
        raise InputError(f"{path.name}: contains NaN or infinity; mend it first.")
    return picture.replaced(values)


def write_picture(picture: Picture, path: Path) -> None:
    """Write images as .npy or NIfTI with their values, or a single one as 16-bit PNG with 0 to 1 as black to white."""
    values = picture.values
    name = path.name.lower()
    if name.endswith(".npy"):
        np.save(path, values)
    elif name.endswith(".png"):
        if values.squeeze().ndim != 2:
            raise InputError(
                f"out: {path.name} can hold one slice only, not shape {values.shape}; choose .npy or NIfTI."
            )
        from PIL import Image

        magnitude = np.abs(values.squeeze()) if np.iscomplexobj(values) else values.squeeze()
        Image.fromarray((np.clip(magnitude, 0, 1) * 65535 + 0.5).astype(np.uint16)).save(path, format="PNG")
    else:
        nibabel = import_nibabel(path.name)
        affine = np.eye(4) if picture.affine is None else picture.affine
        nibabel.save(nibabel.Nifti1Image(values.T, affine), path)


def _read_npy(path: Path) -> NDArray[Any]:
    try:
        values: NDArray[Any] = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError, SyntaxError) as error:
        raise InputError(f"{path.name}: not a readable NumPy array file ({error}).") from error
    if not isinstance(values, np.ndarray):
        raise InputError(f"{path.name}: is an archive of arrays; give one array as .npy.")
    return values


def _read_png(path: Path) -> NDArray[Any]:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            if image.mode not in ("L", "LA", "I;16", "I", "1"):
                raise InputError(f"{path.name}: is a colour picture ({image.mode}); convert it to grey first.")
            pixels = np.asarray(image if image.mode != "LA" else image.convert("L"))
            white = 65535.0 if image.mode in ("I;16", "I") else 1.0 if image.mode == "1" else 255.0
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise InputError(f"{path.name}: not a readable PNG ({error}).") from error
    return pixels.astype(np.float32) / np.float32(white)
