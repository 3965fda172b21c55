"""DICOM images with their places: headers are read first, pixels when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.images import import_pydicom, looks_like_dicom
from napari_pogmdm.data.place import Place, place_of
from napari_pogmdm.errors import InputError

_MOST_FILES = 20_000  # in a folder; larger series are several studies


@dataclass(frozen=True)
class DicomSlice:
    """One image of a DICOM series.

    Attributes
    ----------
    path
        Of its file.
    frame
        Its number in a file of several; ``None`` in a file of one.
    place
        Where it lies, where the file says so.
    pixel_mm
        Height and width of a pixel.
    """

    path: Path
    frame: int | None
    place: Place | None
    pixel_mm: tuple[float, float] | None


def dicom_slices(path: Path) -> list[DicomSlice]:
    """List the images of a file, or of a folder in the order of their numbers.

    Parameters
    ----------
    path
        Of a DICOM file, or of a folder that holds one series.
    """
    pydicom = import_pydicom(path.name)
    files = [path]
    if path.is_dir():
        files = [file for file in sorted(path.iterdir())[:_MOST_FILES] if file.is_file() and looks_like_dicom(file)]
    if not files:
        raise InputError(f"{path}: holds no DICOM images; give the folder with the slices themselves.")
    found = []
    for file in files:
        try:
            header = pydicom.dcmread(file, stop_before_pixels=True)
            if int(header.get("SamplesPerPixel", 1)) != 1:
                raise ValueError("it is in colour")
            size = (int(header.Rows), int(header.Columns))
            frames = int(header.get("NumberOfFrames") or 1)
            number = int(header.get("InstanceNumber") or 0)
            place, pixel = _geometry(header, size)
        except _trouble(pydicom) as error:
            raise InputError(f"{file.name}: not a readable DICOM image ({error}).") from error
        frame_numbers = [None] if frames == 1 else list(range(frames))
        found += [(number, file.name, size, DicomSlice(file, one, place, pixel)) for one in frame_numbers]
    sizes = {size for _, _, size, _ in found}
    if len(sizes) > 1:
        raise InputError(f"{path}: its images have different sizes {sorted(sizes)}; keep one series per folder.")
    return [one for _, _, _, one in sorted(found, key=lambda item: item[:2])]


def dicom_pixels(image: DicomSlice) -> NDArray[Any]:
    """Read the pixels (rows, columns) of one image."""
    pydicom = import_pydicom(image.path.name)
    try:
        pixels = np.asarray(pydicom.dcmread(image.path).pixel_array)
        return pixels if image.frame is None else pixels[image.frame]
    except _trouble(pydicom) as error:
        raise InputError(f"{image.path.name}: its pixels cannot be read ({error}); copy it again.") from error


def _trouble(pydicom: Any) -> tuple[type[Exception], ...]:
    """List what pydicom raises at files that are none, or damaged."""
    return (
        pydicom.errors.InvalidDicomError,
        AttributeError,
        ValueError,
        NotImplementedError,
        OSError,
        KeyError,
        TypeError,
        IndexError,
        EOFError,
        RuntimeError,
    )


def _geometry(header: Any, size: tuple[int, int]) -> tuple[Place | None, tuple[float, float] | None]:
    """Read where a slice lies; the first direction of the standard is that along which columns count up."""
    spacing = header.get("PixelSpacing")
    pixel = None if spacing is None else (float(spacing[0]), float(spacing[1]))
    corner, directions = header.get("ImagePositionPatient"), header.get("ImageOrientationPatient")
    if pixel is None or corner is None or directions is None:
        return None, pixel
    across, down = np.array(directions[:3], dtype=float), np.array(directions[3:6], dtype=float)
    centre = np.array(corner, dtype=float) + down * pixel[0] * (size[0] // 2) + across * pixel[1] * (size[1] // 2)
    thickness = header.get("SpacingBetweenSlices") or header.get("SliceThickness")
    axes = np.stack((down, across, np.cross(across, down)))
    return place_of(centre, axes, None if thickness is None else float(thickness)), pixel
