"""Reading fastMRI's HDF5 files: knee and brain, single- and multi-coil, training, validation and test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Acquisition, Header, Origin, check_slice_index
from napari_pogmdm.data.hdf5 import check_read_size, open_hdf5, plain_dataset
from napari_pogmdm.data.header import LARGEST_HEADER, parse_header
from napari_pogmdm.data.samples import check_samples
from napari_pogmdm.errors import InputError, printable


@dataclass(frozen=True)
class FastMRIScan:
    """A volume on disk; a slice is read when it is asked for, and the file is closed in between.

    Attributes
    ----------
    path
        Of the HDF5 file.
    header
        What the file says about itself.
    slices
        How many there are.
    coils
        Receive channels; 1 for single-coil files.
    shape
        Rows and columns of k-space.
    reference_name
        Dataset with the fully sampled images, where there is one.
    has_mask
        Whether the file is undersampled already.
    known_as
        Name under which `open_scan` finds it, where that is not its path.
    """

    path: Path
    header: Header
    slices: int
    coils: int
    shape: tuple[int, int]
    reference_name: str | None
    has_mask: bool
    known_as: str | None = None

    @property
    def name(self) -> str:
        """The file's name, fit to be shown."""
        return printable(self.path.name)

    def __len__(self) -> int:
        return self.slices

    def __iter__(self) -> Iterator[Acquisition]:
        return (self[index] for index in range(self.slices))

    def __getitem__(self, index: int) -> Acquisition:
        check_slice_index(index, self.slices, self.name)
        where = f"{self.name}, slice {index}"
        with open_hdf5(self.path) as file:
            kspace = _read_kspace(file, index, where)
            mask = _read_mask(file, self.shape, self.name)
            reference = _read_reference(file, self.reference_name, index, where)
        origin = Origin(self.known_as or str(self.path.resolve()), index)
        return Acquisition(kspace, where, self.header, reference, mask, origin=origin)


def open_fastmri(path: Path) -> FastMRIScan:
    """Look at a fastMRI file and return its slices, unread.

    Raises
    ------
    InputError
        If the file is not HDF5, is damaged, or is HDF5 of another kind.
    """
    with open_hdf5(path) as file:
        kspace = _kspace_dataset(file)
        contrast = file.attrs.get("acquisition")
        contrast = contrast.decode(errors="replace") if isinstance(contrast, bytes) else contrast
        header = _read_header(file, path.name)
        header = replace(header, contrast=None if contrast is None else printable(str(contrast)))
        slices, coils, *shape = kspace.shape if kspace.ndim == 4 else (kspace.shape[0], 1, *kspace.shape[1:])
        scan = FastMRIScan(
            path=path,
            header=header,
            slices=slices,
            coils=coils,
            shape=(shape[0], shape[1]),
            reference_name=_reference_name(file, kspace),
            has_mask="mask" in file,
        )
        _check_header(scan)
        _read_mask(file, scan.shape, path.name)
    return scan


def _kspace_dataset(file: h5py.File) -> h5py.Dataset:
    name = Path(file.filename).name
    kspace = plain_dataset(file, "kspace")
    if kspace is None:
        found = ", ".join(sorted(map(str, file))[:6]) or "nothing"
        raise InputError(f"{name}: holds no kspace (it holds {found}); give a fastMRI file with raw data.")
    if kspace.ndim not in {3, 4} or 0 in kspace.shape:
        raise InputError(
            f"{name}: kspace has shape {kspace.shape}, expected (slices, coils, rows, columns), or without coils; "
            "export it again."
        )
    if kspace.dtype.kind != "c":
        raise InputError(f"{name}: kspace holds {kspace.dtype} values, expected complex numbers.")
    return kspace


def _read_kspace(file: h5py.File, index: int, where: str) -> NDArray[np.complex64]:
    dataset = _kspace_dataset(file)
    check_read_size(dataset, int(np.prod(dataset.shape[1:], dtype=np.int64)), where)
    kspace = np.asarray(dataset[index], dtype=np.complex64)
    if kspace.ndim == 2:
        kspace = kspace[None]
    check_samples(kspace, where)
    return kspace


def _reference_name(file: h5py.File, kspace: h5py.Dataset) -> str | None:
    names = ("reconstruction_esc", "reconstruction_rss") if kspace.ndim == 3 else ("reconstruction_rss",)
    for name in names:
        reference = plain_dataset(file, name)
        if reference is None:
            continue
        fits = reference.ndim == 3 and reference.shape[0] == kspace.shape[0] and 0 not in reference.shape
        if not fits or reference.dtype.kind != "f":
            raise InputError(
                f"{Path(file.filename).name}: {name} has shape {reference.shape} of {reference.dtype}, "
                f"expected ({kspace.shape[0]}, rows, columns) of floats; remove it or export it again."
            )
        if any(have > room for have, room in zip(reference.shape[1:], kspace.shape[-2:], strict=True)):
            raise InputError(
                f"{Path(file.filename).name}: {name} is {reference.shape[1:]}, larger than kspace {kspace.shape[-2:]}; "
                "it belongs to another scan."
            )
        return name
    return None


def _read_reference(file: h5py.File, name: str | None, index: int, where: str) -> NDArray[np.float32] | None:
    if name is None:
        return None
    dataset = plain_dataset(file, name)
    if dataset is None:
        raise InputError(f"{where}: {name} was removed after the file was opened; open it again.")
    check_read_size(dataset, int(np.prod(dataset.shape[1:], dtype=np.int64)), where)
    reference = np.asarray(dataset[index], dtype=np.float32)
    if not np.isfinite(reference).all() or reference.min() < 0 or reference.max() == 0:
        raise InputError(f"{where}: {name} is not a magnitude image (NaN, negative or all zero); remove it.")
    return reference


def _read_mask(file: h5py.File, shape: tuple[int, int], name: str) -> NDArray[np.bool_] | None:
    dataset = plain_dataset(file, "mask")
    if dataset is None:
        return None
    if dataset.shape not in {(shape[1],), shape} or dataset.dtype.kind not in "biuf":
        raise InputError(
            f"{name}: its mask has shape {dataset.shape} of {dataset.dtype}, expected numbers of shape ({shape[1]},) "
            f"or {shape}; remove it or export the file again."
        )
    values = np.asarray(dataset[()])
    if np.isnan(values).any():
        raise InputError(f"{name}: its mask holds NaN, which is neither true nor false; remove it or export it again.")
    mask = np.broadcast_to(values != 0, shape).copy()
    if not mask.any():
        raise InputError(f"{name}: its mask marks no sample as measured; remove it or export the file again.")
    return mask


def _read_header(file: h5py.File, name: str) -> Header:
    dataset = plain_dataset(file, "ismrmrd_header")
    if dataset is None:
        return Header()
    if dataset.shape != () or dataset.dtype.itemsize > LARGEST_HEADER:
        raise InputError(f"{name}: ismrmrd_header is not one text; remove it or export the file again.")
    text = dataset[()]
    if not isinstance(text, (bytes, str)):
        raise InputError(f"{name}: ismrmrd_header holds {dataset.dtype} values, expected text; remove it.")
    return parse_header(text, name)


def _check_header(scan: FastMRIScan) -> None:
    columns, encoded = scan.header.acquired_columns, scan.header.encoded_matrix
    if columns is not None and encoded is not None and not 0 <= columns[0] < columns[1] <= encoded[1]:
        raise InputError(
            f"{scan.name}: the ismrmrd_header puts the measured columns at {columns[0]} to {columns[1] - 1}, outside "
            f"the encoded {encoded[1]} columns; correct the header or remove it."
        )
