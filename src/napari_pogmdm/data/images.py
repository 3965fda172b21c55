"""Reading volumes of magnitude images for training: NIfTI, NumPy, DICOM folders and fastMRI targets."""

from __future__ import annotations

import gzip
import logging
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.hdf5 import check_read_size, open_hdf5, plain_dataset
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import write_file
from napari_pogmdm.reading import check_held, inflate, read_arrays, reading

Volume = NDArray[np.float32]
_NIFTI_2 = 540  # bytes of its header, which come first in the file
_DEFLATED = "1.2.840.10008.1.2.1.99"  # the one transfer syntax whose length cannot be known beforehand


_LEAST_SIDE = 8  # pixels; smaller arrays of a file are its echo times, spacings and the like, not images


def read_volume(path: Path) -> Volume:
    """Read a file or a DICOM folder as one stack of magnitude images.

    Parameters
    ----------
    path
        See `read_volumes`; the arrays of a ``.npz`` file follow each other, so they must be of one image size.

    Returns
    -------
    (slices, rows, columns) float32 in the file's own units.
    """
    volumes = read_volumes(path)
    shapes = {volume.shape[1:] for volume in volumes.values()}
    if len(shapes) > 1:
        raise InputError(
            f"{path.name}: its arrays {', '.join(volumes)} hold images of different sizes {sorted(shapes)}; "
            "keep one per file, or name the one that is meant 'image'."
        )
    return np.concatenate(list(volumes.values()))


def read_volumes(path: Path) -> dict[str, Volume]:
    """Read every stack of magnitude images of a file or a DICOM folder.

    Parameters
    ----------
    path
        NIfTI (``.nii``, ``.nii.gz``; slices along the third axis), NumPy (``.npy``, ``.npz``; all axes but the last two
        are slices), fastMRI (``.h5``, its ``reconstruction_rss``), or a folder of DICOM files. Of a ``.npz`` file the
        array ``image`` is read, or else every one that holds images.

    Returns
    -------
    Stacks (slices, rows, columns) float32 in the file's own units, by name; that of a file's only stack is empty.
    """
    with reading(path, "file or folder of images"):
        path.stat()
    suffix = "".join(path.suffixes[-2:]) if path.name.endswith(".nii.gz") else path.suffix
    if path.is_dir():
        images = _read_dicom_folder(path)
    elif suffix in {".nii", ".nii.gz"}:
        images, _ = read_nifti(path)
    elif suffix in {".npy", ".npz"}:
        return _array_volumes(path)
    elif suffix in {".h5", ".hdf5"}:
        images = _read_fastmri_targets(path)
    else:
        raise InputError(f"{path.name}: unknown kind of image file; give .nii, .nii.gz, .npy, .npz, .h5 or a folder.")
    return {"": _as_stack(images, path)}


def _array_volumes(path: Path) -> dict[str, Volume]:
    """Stacks of a NumPy file: its ``image``, its only array, or every array that is large enough for images."""
    arrays = read_arrays(path, "NumPy array file")
    if "image" in arrays or len(arrays) == 1:
        return {"": _as_stack(arrays.get("image", next(iter(arrays.values()))), path)}
    images = {name: a for name, a in arrays.items() if a.ndim > 1 and min(a.shape[-2:]) >= _LEAST_SIDE}
    if not images:
        raise InputError(f"{path.name}: none of its arrays {', '.join(arrays)} holds images.")
    return {name: _as_stack(a, path) for name, a in images.items()}


def import_nibabel(what: str) -> Any:
    """Import nibabel, which reads and writes NIfTI, or say for whom and how to get it."""
    try:
        import nibabel
    except ImportError as error:
        raise InputError(f"{what}: NIfTI needs nibabel: pip install 'napari-pogmdm[export]'.") from error
    nibabel.imageglobals.logger.setLevel(logging.CRITICAL)  # it tells the terminal what a damaged header holds
    return nibabel


def import_pydicom(what: str) -> Any:
    """Import pydicom, which reads and writes DICOM, or say for whom and how to get it."""
    try:
        import pydicom
    except ImportError as error:
        raise InputError(f"{what}: DICOM needs pydicom: pip install 'napari-pogmdm[export]'.") from error
    return pydicom


def read_nifti(path: Path) -> tuple[NDArray[np.generic], NDArray[np.float64]]:
    """Read a NIfTI file.

    Returns
    -------
    Its values with the axes turned round, (slices, rows, columns), and the affine that places its own axes in space.
    """
    nibabel = import_nibabel(path.name)
    with reading(path, "NIfTI file"):
        if path.name.lower().endswith(".gz"):
            content = inflate(path)
            large = int.from_bytes(content[:4], "little") == _NIFTI_2 or int.from_bytes(content[:4], "big") == _NIFTI_2
            file = (nibabel.Nifti2Image if large else nibabel.Nifti1Image).from_bytes(content)
            held = len(content)
        else:
            file, held = nibabel.load(path), path.stat().st_size
        kind = file.get_data_dtype()
        if kind.kind not in "biufc":
            raise InputError(f"{path.name}: holds {kind} values; images must be numbers.")
        check_held(math.prod(file.shape) * kind.itemsize, held, path.name)
        values = np.asarray(file.dataobj)
        return values.T, np.asarray(file.affine, dtype=np.float64)


def save_nifti(image: Any, path: Path) -> None:
    """Write one of nibabel's images, compressed if the name ends in .gz."""
    content: bytes = image.to_bytes()
    # without a time in it, the same image gives the same file
    write_file(path, gzip.compress(content, mtime=0) if path.name.lower().endswith(".gz") else content)


def _as_stack(images: NDArray[np.generic], path: Path) -> Volume:
    if images.ndim < 2 or 0 in images.shape:
        raise InputError(f"{path.name}: holds an array of shape {images.shape}; images need two axes or more.")
    if np.iscomplexobj(images):
        images = np.abs(images)
    if not (np.issubdtype(images.dtype, np.number) or images.dtype == np.bool_):
        raise InputError(f"{path.name}: holds {images.dtype} values; images must be numbers.")
    stack = np.ascontiguousarray(images, dtype=np.float32).reshape(-1, *images.shape[-2:])
    if not np.isfinite(stack).all():
        raise InputError(f"{path.name}: holds NaN or infinite values; replace them before training.")
    return stack


def _read_fastmri_targets(path: Path) -> NDArray[np.generic]:
    with open_hdf5(path) as file:
        targets = plain_dataset(file, "reconstruction_rss")
        if targets is None:
            raise InputError(f"{path.name}: has no reconstruction_rss; training needs fastMRI's train or val files.")
        if targets.ndim != 3 or targets.dtype.kind != "f":
            raise InputError(
                f"{path.name}: reconstruction_rss is not a stack of images but {targets.dtype} {targets.shape}."
            )
        check_read_size(targets, int(targets.size), path.name)
        images: NDArray[np.generic] = targets[()]
    return images


def _read_dicom_folder(path: Path) -> NDArray[np.generic]:
    pydicom = import_pydicom(path.name)
    slices = []
    for file in sorted(path.iterdir()):
        if not file.is_file() or not looks_like_dicom(file):
            continue
        with reading(file, "DICOM image"), warnings.catch_warnings(action="ignore"):
            if pydicom.filereader.read_file_meta_info(file).get("TransferSyntaxUID") == _DEFLATED:
                raise InputError(f"{file.name}: is deflated as a whole, which is refused; export it uncompressed.")
            dataset = pydicom.dcmread(file)
            if dataset.get("SamplesPerPixel", 1) != 1:
                raise ValueError("it is in colour")
            count = int(dataset.Rows) * int(dataset.Columns) * int(dataset.get("NumberOfFrames") or 1)
            check_held(count * int(dataset.BitsAllocated), 8 * file.stat().st_size, file.name)  # both in bits
            slices.append((int(dataset.get("InstanceNumber") or 0), file.name, dataset.pixel_array))
    if not slices:
        raise InputError(f"{path}: holds no DICOM images; give the folder with the slices themselves.")
    shapes = {pixels.shape for _, _, pixels in slices}
    if len(shapes) > 1:
        raise InputError(f"{path}: its images have different sizes {sorted(shapes)}; keep one series per folder.")
    return np.stack([pixels for _, _, pixels in sorted(slices, key=lambda item: item[:2])])


def looks_like_dicom(file: Path) -> bool:
    """Tell a DICOM file by its mark."""
    with reading(file, "DICOM image"), file.open("rb") as stream:
        return stream.read(132)[128:] == b"DICM"  # the standard's mark, after a preamble of 128 bytes
