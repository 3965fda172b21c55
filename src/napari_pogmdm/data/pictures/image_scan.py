"""Magnitude images as simulated scans: NIfTI, DICOM and real NumPy arrays, one slice at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Acquisition, Origin, check_slice_index
from napari_pogmdm.data.arrays.numpy_file import open_npy
from napari_pogmdm.data.images import import_nibabel, read_volume
from napari_pogmdm.data.pictures.dicom import dicom_pixels, dicom_slices
from napari_pogmdm.data.place import Place, place_of
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.reading import check_held, reading

SIMULATED_COILS = 8
"""Receive coils of a scan that is simulated of a file of images."""
SIMULATED_NOISE = 0.01
"""Standard deviation of its noise, where the image's largest value is 1."""

Geometry = tuple[Place | None, tuple[float, float] | None]
"""The place of a slice, and height and width of its pixels in millimetres."""

_SMALLEST = 8  # rows and columns; below that there is no image to speak of


@dataclass(frozen=True, eq=False)
class ImageScan:
    """Scans that are simulated of images, when they are asked for.

    Attributes
    ----------
    path
        Of the file or folder.
    slices
        How many there are.
    read
        Gives the image (rows, columns) of a slice.
    locate
        Gives where it lies.
    """

    path: Path
    slices: int
    read: Callable[[int], NDArray[Any]]
    locate: Callable[[int], Geometry]

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    def __len__(self) -> int:
        return self.slices

    def __iter__(self) -> Iterator[Acquisition]:
        return (self[index] for index in range(self.slices))

    def __getitem__(self, index: int) -> Acquisition:
        check_slice_index(index, self.slices, self.name)
        where = f"{self.name}, slice {index}"
        image = np.asarray(self.read(index))
        if image.dtype.kind not in "biufc" or image.ndim != 2 or min(image.shape) < _SMALLEST:
            raise InputError(f"{where}: holds {image.dtype} values of shape {image.shape}, which is not an image.")
        with np.errstate(invalid="ignore"):  # NaN of a damaged file; the scan refuses it
            magnitude = np.abs(image.astype(np.float64)) if image.dtype.kind != "c" else np.abs(image)
        made = simulate_scan(magnitude, SIMULATED_COILS, SIMULATED_NOISE, seed=index, name=where)
        place, pixel = self.locate(index)
        header = made.header
        if pixel is not None:
            view = (pixel[0] * image.shape[0], pixel[1] * image.shape[1])
            header = replace(header, encoded_field_of_view_mm=view, recon_field_of_view_mm=view)
        said = f"simulated from the image: {SIMULATED_COILS} coils, noise {SIMULATED_NOISE:g} of its largest value"
        origin = Origin(str(self.path.resolve()), index)
        return replace(made, header=header, place=place, remarks=(said,), origin=origin)


def open_nifti(path: Path) -> ImageScan:
    """Open the slices of a NIfTI file, along its third axis."""
    nibabel = import_nibabel(path.name)
    with reading(path, "NIfTI file"):
        file = nibabel.load(path)
        shape = tuple(int(size) for size in file.shape)
        affine = np.asarray(file.affine, dtype=np.float64)
        check_held(math.prod(shape[:2]) * file.get_data_dtype().itemsize, path.stat().st_size, path.name)
    if not 2 <= len(shape) <= 4 or 0 in shape:
        raise InputError(f"{path.name}: has shape {shape}; images of two to four axes can be scanned.")
    beyond = shape[2:]

    def read(index: int) -> NDArray[Any]:
        place = np.unravel_index(index, beyond, order="F") if beyond else ()
        with reading(path, "NIfTI file"):
            return np.asarray(file.dataobj[(slice(None), slice(None), *map(int, place))]).T

    def locate(index: int) -> Geometry:
        steps = affine[:3, :3] * np.array([[-1.0], [-1.0], [1.0]])
        lengths = np.linalg.norm(steps, axis=0)
        if not (np.isfinite(lengths).all() and lengths.min() > 0):
            return None, None
        number = index % beyond[0] if beyond else 0
        centre = affine @ np.array([shape[0] // 2, shape[1] // 2, number, 1.0])
        directions = (steps / lengths).T[[1, 0, 2]]
        position = centre[:3] * (-1, -1, 1)
        return place_of(position, directions, float(lengths[2])), (float(lengths[1]), float(lengths[0]))

    return ImageScan(path, int(np.prod(beyond)) if beyond else 1, read, locate)


def open_dicom(path: Path) -> ImageScan:
    """Open the images of a DICOM file, or of a folder of them."""
    slices = dicom_slices(path)

    def locate(index: int) -> Geometry:
        return slices[index].place, slices[index].pixel_mm

    return ImageScan(path, len(slices), lambda index: dicom_pixels(slices[index]), locate)


def open_array_images(path: Path) -> ImageScan:
    """Open the images of a real NumPy array; all axes but the last two are slices."""
    if path.suffix == ".npz":
        stack: NDArray[Any] = read_volume(path)
    else:
        values = open_npy(path)
        if values.ndim < 2 or 0 in values.shape:
            raise InputError(f"{path.name}: has shape {values.shape}, which is not an image.")
        stack = values.reshape(-1, *values.shape[-2:]) if values.ndim > 2 else values[None]
    return ImageScan(path, len(stack), lambda index: stack[index], lambda index: (None, None))
