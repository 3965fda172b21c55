"""DICOM secondary captures: images for a viewer in the clinic's format, one file a slice."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.images import import_pydicom
from napari_pogmdm.files import write_file

_SECONDARY_CAPTURE = "1.2.840.10008.5.1.4.1.1.7"  # the standard's name for an image that no scanner made as it is
_WHITE = 65535  # the largest grey value of 16 bits


def write_dicom(path: Path, images: NDArray[np.floating], affines: NDArray[np.float64] | None, name: str) -> list[Path]:
    """Write magnitudes (slices, rows, columns), each with its place where that is known.

    Parameters
    ----------
    path
        Of the file; several slices get numbers.
    images
        Not negative; values are kept to a part in 65535 of the largest.
    affines
        (slices, 4, 4) from (column, row, slice) to millimetres right, front and head.
    name
        Of the series.
    """
    pydicom = import_pydicom(path.name)
    from pydicom.uid import ExplicitVRLittleEndian, generate_uid

    # named by what they hold, so that the same images give the same files
    series, study = (generate_uid(entropy_srcs=[kind, name, images.tobytes().hex()[:4096]]) for kind in ("r", "t"))
    largest = float(images.max()) or 1.0
    written = []
    for number, image in enumerate(images):
        meta = pydicom.dataset.FileMetaDataset()
        meta.TransferSyntaxUID = ExplicitVRLittleEndian
        meta.MediaStorageSOPClassUID = _SECONDARY_CAPTURE
        meta.MediaStorageSOPInstanceUID = generate_uid(entropy_srcs=[series, str(number)])
        file = pydicom.dataset.FileDataset(path.name, {}, file_meta=meta, preamble=b"\0" * 128)
        file.SOPClassUID, file.SOPInstanceUID = _SECONDARY_CAPTURE, meta.MediaStorageSOPInstanceUID
        file.StudyInstanceUID, file.SeriesInstanceUID = study, series
        file.Modality, file.ConversionType = "MR", "WSD"
        file.SeriesDescription = name[:64]  # letters that the standard leaves room for
        file.ImageComments = "Reconstruction by research software, not for diagnosis"
        file.PatientName, file.PatientID = "", ""
        file.InstanceNumber = number + 1
        _set_pixels(file, image, largest)
        if affines is not None:
            _set_place(file, affines[number])
        place = path if len(images) == 1 else path.with_name(f"{path.stem}-{number:04d}.dcm")
        stream = BytesIO()
        file.save_as(stream, enforce_file_format=True)
        write_file(place, stream.getvalue())
        written.append(place)
    return written


def _set_pixels(file: Any, image: NDArray[np.floating], largest: float) -> None:
    file.Rows, file.Columns = (int(size) for size in image.shape)
    file.SamplesPerPixel, file.PhotometricInterpretation = 1, "MONOCHROME2"
    file.BitsAllocated = file.BitsStored = 16
    file.HighBit, file.PixelRepresentation = 15, 0
    # a decimal text of the standard has at most 16 letters
    file.RescaleIntercept, file.RescaleSlope, file.RescaleType = "0", f"{largest / _WHITE:.9e}", "US"
    grey = np.round(image.astype(np.float64) / largest * _WHITE).astype("<u2")
    file.WindowCenter, file.WindowWidth = f"{largest / 2:.9e}", f"{largest:.9e}"
    file.PixelData = grey.tobytes()


def _set_place(file: Any, affine: NDArray[np.float64]) -> None:
    """Turn an affine towards right and front into the standard's left and back."""
    matrix = np.diag([-1.0, -1.0, 1.0, 1.0]) @ affine
    lengths = np.linalg.norm(matrix[:3, :3], axis=0)
    if lengths.min() <= 0:
        return
    directions = matrix[:3, :3] / lengths
    file.PixelSpacing = [f"{lengths[1]:.9g}", f"{lengths[0]:.9g}"]
    file.SliceThickness = f"{lengths[2]:.9g}"
    file.ImagePositionPatient = [f"{value:.9g}" for value in matrix[:3, 3]]
    file.ImageOrientationPatient = [f"{value:.9g}" for value in (*directions[:, 0], *directions[:, 1])]
