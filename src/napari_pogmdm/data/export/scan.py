"""K-space in other programs' formats, written slice by slice."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Acquisition, Scan
from napari_pogmdm.data.arrays.numpy_file import AXES_KEY, KSPACE, MATRIX, TRAJECTORY
from napari_pogmdm.data.export.cfl import write_cfl
from napari_pogmdm.data.header import write_header
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file

_BART_AXES = 14  # as far as that of slices, the last that is used
_SLICES = 13  # BART's axis of slices
_COILS = 3  # BART's axis of coils

SCAN_ENDINGS = (".h5", ".hdf5", ".cfl", ".hdr", ".npy", ".npz")
"""Endings of files that k-space is written to."""


def write_scan(scan: Scan, indices: Sequence[int], path: Path) -> list[Path]:
    """Write slices of a scan in the format of the file's ending.

    Parameters
    ----------
    scan
        Where they are read.
    indices
        Which ones; they must be of one size.
    path
        Of the file: fastMRI's layout (.h5), BART (.cfl), or NumPy (.npy, .npz).

    Returns
    -------
    The files that were written.
    """
    first = scan[indices[0]]
    slices = chain([first], (_alike(scan[index], first) for index in indices[1:]))
    ending = path.suffix.lower()
    if ending in {".h5", ".hdf5"}:
        return _write_fastmri(first, slices, len(indices), path)
    if ending in {".cfl", ".hdr"}:
        return _write_bart(first, slices, len(indices), path)
    if ending in {".npy", ".npz"}:
        return _write_numpy(first, slices, len(indices), path)
    raise InputError(f"{path.name}: k-space is written as {', '.join(SCAN_ENDINGS)}; choose one of these endings.")


def _alike(slice_: Acquisition, first: Acquisition) -> Acquisition:
    """Refuse slices that do not fit into one array."""
    if slice_.kspace.shape != first.kspace.shape or slice_.shape != first.shape:
        raise InputError(f"{slice_.source}: differs in size from {first.source}; convert one slice at a time.")
    ours, theirs = slice_.trajectory, first.trajectory
    same = ours is theirs if ours is None or theirs is None else np.array_equal(ours, theirs)
    if not same:
        raise InputError(f"{slice_.source}: has a trajectory of its own; convert one slice at a time with --slice.")
    return slice_


def _write_fastmri(first: Acquisition, slices: Iterator[Acquisition], count: int, path: Path) -> list[Path]:
    if first.trajectory is not None:
        raise InputError(f"{path.name}: fastMRI's layout knows no trajectories; write .npz or .cfl.")
    header = replace(first.header, encoded_matrix=first.shape, recon_matrix=first.crop)
    with whole_file(path) as stream, h5py.File(stream, "w") as file:
        file.attrs["acquisition"] = header.contrast or "unknown"
        file.create_dataset("ismrmrd_header", data=write_header(header))
        shape = (count, *first.kspace.shape)
        kspace = file.create_dataset(KSPACE, shape, np.complex64, chunks=(1, *first.kspace.shape))
        masks = []
        for number, slice_ in enumerate(slices):
            kspace[number] = slice_.kspace
            masks.append(slice_.mask)
            stream.check()
        if any(mask is not None for mask in masks):
            file.create_dataset("mask", data=_one_mask(masks, first))
    return [path]


def _one_mask(masks: list[NDArray[np.bool_] | None], first: Acquisition) -> NDArray[np.float32]:
    """Give the mask of all slices, as fastMRI has one for a file: over columns where it is whole columns."""
    whole_masks = [np.ones(first.shape, dtype=bool) if mask is None else mask for mask in masks]
    mask = whole_masks[0]
    if any(not np.array_equal(other, mask) for other in whole_masks[1:]):
        raise InputError(f"{first.source}: its slices have masks of their own; convert them one by one with --slice.")
    whole = bool((mask == mask[:1]).all())
    return np.asarray(mask[0] if whole else mask, dtype=np.float32)


def _write_bart(first: Acquisition, slices: Iterator[Acquisition], count: int, path: Path) -> list[Path]:
    shape = [1] * _BART_AXES
    shape[_COILS], shape[_SLICES] = first.coils, count
    written: list[Path] = []
    if first.trajectory is None:
        shape[0], shape[1] = first.shape
        parts = (part.transpose(1, 2, 0).ravel(order="F") for part in (one.kspace for one in slices))
        return write_cfl(path, tuple(shape), parts)
    shape[1] = first.kspace.shape[1]
    written += write_cfl(path, tuple(shape), (one.kspace.T.ravel(order="F") for one in slices))
    base = path.with_suffix("") if path.suffix in {".cfl", ".hdr"} else path
    places = np.zeros((3, shape[1]), dtype=np.complex64)
    places[:2] = (first.trajectory * np.array(first.shape, dtype=np.float32)).T  # periods over the field of view
    return [*written, *write_cfl(base.with_name(f"{base.name}_traj"), (3, shape[1], 1), [places.ravel(order="F")])]


def _write_numpy(first: Acquisition, slices: Iterator[Acquisition], count: int, path: Path) -> list[Path]:
    shape = (count, *first.kspace.shape)
    axes = "slices,coils,rows,columns" if first.trajectory is None else "slices,coils,samples"
    with whole_file(path) as stream:
        if path.suffix == ".npy":
            if first.trajectory is not None:
                raise InputError(f"{path.name}: one array cannot also hold a trajectory; write .npz or .cfl.")
            _write_array(stream.write, shape, slices)
            return [path]
        with zipfile.ZipFile(stream, "w") as archive:
            with archive.open(f"{KSPACE}.npy", mode="w", force_zip64=True) as member:
                _write_array(member.write, shape, slices)
            more: dict[str, Any] = {AXES_KEY: np.array(axes)}
            if first.trajectory is not None:
                more |= {TRAJECTORY: first.trajectory, MATRIX: np.array(first.shape)}
            for name, array in more.items():
                with archive.open(f"{name}.npy", mode="w") as member:
                    npy.write_array(member, array, allow_pickle=False)
    return [path]


def _write_array(write: Callable[[bytes], int], shape: tuple[int, ...], slices: Iterator[Acquisition]) -> None:
    """Write an array in NumPy's format, slice by slice."""
    from io import BytesIO

    start = BytesIO()
    npy.write_array_header_2_0(start, {"descr": "<c8", "fortran_order": False, "shape": shape})
    write(start.getvalue())
    for slice_ in slices:
        write(np.ascontiguousarray(slice_.kspace, dtype="<c8").tobytes())
