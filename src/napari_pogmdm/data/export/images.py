"""A stack of images with its place in space, and the file it becomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.export.cfl import write_cfl
from napari_pogmdm.data.export.dicom import write_dicom
from napari_pogmdm.data.export.picture import write_picture
from napari_pogmdm.data.images import import_nibabel, save_nifti
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file

_SLICES = 13  # BART's axis of slices
_EVEN = 1e-2  # of the distance of slices; what they may differ by to be one volume


@dataclass(frozen=True, eq=False)
class ImageStack:
    """Images of one size.

    Attributes
    ----------
    values
        (slices, rows, columns), real or complex.
    affines
        (slices, 4, 4) from (column, row, slice) to millimetres right, front and head; ``None`` if nobody knows.
    name
        What to call them.
    """

    values: NDArray[Any]
    affines: NDArray[np.float64] | None = None
    name: str = "image"

    def affine(self) -> NDArray[np.float64] | None:
        """Give one affine for the whole volume; ``None`` where its slices are not evenly spaced on one axis."""
        if self.affines is None:
            return None
        matrix = np.array(self.affines[0], dtype=np.float64)
        if len(self.affines) > 1:
            steps = np.diff(self.affines[:, :3, 3], axis=0)
            turned = np.abs(self.affines[:, :3, :2] - matrix[:3, :2]).max()
            if np.abs(steps - steps[0]).max() > _EVEN * float(np.linalg.norm(steps[0])) or turned > _EVEN:
                return None
            matrix[:3, 2] = steps[0]
        return matrix if abs(np.linalg.det(matrix)) > 0 else None


def write_images(stack: ImageStack, path: Path) -> list[Path]:
    """Write images in the format of the file's ending.

    Parameters
    ----------
    stack
        The images.
    path
        Of the file.

    Returns
    -------
    The files that were written; DICOM has one a slice.
    """
    return _WRITERS[ending_of(path)](stack, path)


def ending_of(path: Path) -> str:
    """Give the ending of a format of images, or refuse it."""
    name = path.name.lower()
    for ending in sorted(_WRITERS, key=len, reverse=True):
        if name.endswith(ending):
            return ending
    raise InputError(f"{path.name}: images are written as {', '.join(sorted(_WRITERS))}; choose one of these endings.")


def is_image_ending(path: Path) -> bool:
    """Tell whether a name is that of a file of images, and of nothing else."""
    return path.name.lower().endswith((".nii", ".nii.gz", ".dcm", ".png", ".tif", ".tiff"))


def _write_nifti(stack: ImageStack, path: Path) -> list[Path]:
    nibabel = import_nibabel(path.name)
    affine = stack.affine()
    values = stack.values.transpose(2, 1, 0)
    image = nibabel.Nifti1Image(values, np.eye(4) if affine is None else affine)
    image.header.set_xyzt_units("unknown" if affine is None else "mm")
    if affine is not None:
        image.set_qform(affine, code=1)  # "scanner": millimetres of the scanner's own axes
        image.set_sform(affine, code=1)
    save_nifti(image, path)
    return [path]


def _write_npy(stack: ImageStack, path: Path) -> list[Path]:
    with whole_file(path) as stream:
        np.save(stream, stack.values)
    return [path]


def _write_bart(stack: ImageStack, path: Path) -> list[Path]:
    slices, rows, columns = stack.values.shape
    shape = (rows, columns, *(1,) * (_SLICES - 2), slices)
    return write_cfl(path, shape, (part.ravel(order="F") for part in stack.values))


def _write_dicom(stack: ImageStack, path: Path) -> list[Path]:
    return write_dicom(path, np.abs(stack.values), stack.affines, stack.name)


def _write_picture(stack: ImageStack, path: Path) -> list[Path]:
    return write_picture(path, np.abs(stack.values))


_WRITERS: dict[str, Callable[[ImageStack, Path], list[Path]]] = {
    ".nii": _write_nifti,
    ".nii.gz": _write_nifti,
    ".npy": _write_npy,
    ".cfl": _write_bart,
    ".hdr": _write_bart,
    ".dcm": _write_dicom,
    ".png": _write_picture,
    ".tif": _write_picture,
    ".tiff": _write_picture,
}
