"""NumPy files of complex arrays: ``.npy`` is mapped into memory, ``.npz`` may hold its trajectory and its axes."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from napari_pogmdm.data.arrays.array_scan import ArrayScan, along, check_array
from napari_pogmdm.data.arrays.axes import NamedArray, parse_axes
from napari_pogmdm.data.reading import ReadOptions
from napari_pogmdm.errors import InputError
from napari_pogmdm.reading import LARGEST_READ

KSPACE, TRAJECTORY, AXES_KEY, MATRIX = "kspace", "trajectory", "axes", "matrix"
"""Names of arrays in ``.npz`` files that are written here, and looked for."""

_TROUBLE = (
    ValueError,
    TypeError,
    OSError,
    EOFError,
    SyntaxError,
    TokenError,
    LookupError,
    ArithmeticError,
    MemoryError,
    RuntimeError,  # of zipfile, for archives with a password; NotImplementedError is one, too
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)
"""What NumPy and zipfile raise at damaged files."""
_ZIP_HEADER = 30  # bytes of the fixed part of a member's own header, as the format has it


def holds_complex(path: Path) -> bool:
    """Tell whether a NumPy file holds complex numbers, or else images."""
    if path.suffix == ".npy":
        return open_npy(path).dtype.kind == "c"
    with _archive(path) as archive:
        return any(_header_of(archive, name, path)[1].kind == "c" for name in _members(archive))


def open_npy(path: Path) -> NDArray[Any]:
    """Map a ``.npy`` file into memory; nothing is unpickled."""
    try:
        return np.asarray(np.lib.format.open_memmap(path, mode="r"))
    except _TROUBLE as error:
        raise InputError(f"{path.name}: not a readable NumPy array file ({_reason(error)}); save it again.") from error


def open_numpy(path: Path, options: ReadOptions) -> ArrayScan:
    """Open k-space in a NumPy file.

    Parameters
    ----------
    path
        Of the ``.npy`` or ``.npz`` file.
    options
        May name the axes, the array, the trajectory's file, and the size of the image.
    """
    stored: dict[str, Any] = {}
    if path.suffix == ".npy":
        values = open_npy(path)
    else:
        with _archive(path) as archive:
            members = _members(archive)
            key = _kspace_key(archive, members, options, path)
            values = _read_member(archive, key, path)
            for name in (TRAJECTORY, AXES_KEY, MATRIX):
                if name in members and name != key:
                    stored[name] = _read_member(archive, name, path)
    if values.dtype.kind != "c":
        raise InputError(f"{path.name}: holds {values.dtype} numbers, but k-space is complex; save it as complex64.")
    places = _places(path, stored, options)
    text = options.axes or (
        str(stored[AXES_KEY]) if np.ndim(stored.get(AXES_KEY, 0)) == 0 and AXES_KEY in stored else ""
    )
    shape = tuple(int(size) for size in values.shape)
    named = NamedArray(values, parse_axes(text, shape, path.name, along_trajectory=places is not None))
    if places is None:
        scan = ArrayScan(path, named, options)
        check_array(scan)
        return scan
    if places.ndim < 2 or places.shape[-1] != 2:
        raise InputError(
            f"{path.name}: its trajectory has shape {places.shape}, expected (..., 2) for rows and columns."
        )
    size = stored.get(MATRIX)
    wanted = options
    if size is not None and not options.matrix and np.size(size) == 2:
        rows, columns = (int(one) for one in np.ravel(size))
        wanted = ReadOptions(**{**options.to_dict(), "matrix": f"{rows}x{columns}"})
    return along(path, named, NamedArray(places, (*("samples",) * (places.ndim - 1), "directions")), wanted)


def _archive(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except _TROUBLE as error:
        raise InputError(f"{path.name}: not a readable NumPy archive ({_reason(error)}); save it again.") from error


def _members(archive: zipfile.ZipFile) -> list[str]:
    return [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]


def _kspace_key(archive: zipfile.ZipFile, members: list[str], options: ReadOptions, path: Path) -> str:
    if options.key:
        if options.key not in members:
            raise InputError(f"{path.name}: holds no {options.key!r}; it holds {', '.join(members[:8]) or 'nothing'}.")
        return options.key
    if KSPACE in members:
        return KSPACE
    complex_ones = [name for name in members if _header_of(archive, name, path)[1].kind == "c"]
    if len(complex_ones) != 1:
        found = ", ".join(complex_ones or members[:8]) or "nothing"
        raise InputError(f"{path.name}: which array is k-space? Name it with --key; the file holds {found}.")
    return complex_ones[0]


def _header_of(archive: zipfile.ZipFile, name: str, path: Path) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
    """Read shape, type and order of a member, and hold them against its size."""
    try:
        with archive.open(f"{name}.npy") as stream:
            return _read_header(stream)
    except _TROUBLE as error:
        raise InputError(f"{path.name}: {name} is not a readable array ({_reason(error)}); save it again.") from error


def _read_header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
    version = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read(stream)
    if dtype.hasobject:
        raise ValueError("it holds Python objects")
    return shape, dtype, fortran


def _read_member(archive: zipfile.ZipFile, name: str, path: Path) -> NDArray[Any]:
    """Map a member into memory if it is stored as it is, else unpack it."""
    shape, dtype, fortran = _header_of(archive, name, path)
    about = archive.getinfo(f"{name}.npy")
    wanted = dtype.itemsize * int(np.prod([int(size) for size in shape], dtype=object))
    if wanted > about.file_size:
        raise InputError(f"{path.name}: {name} is cut short; save it again.")
    try:
        if about.compress_type == zipfile.ZIP_STORED and wanted:
            offset = _offset_of(path, about) + about.file_size - wanted
            return np.memmap(path, dtype, mode="r", offset=offset, shape=shape, order="F" if fortran else "C")
        if wanted > LARGEST_READ:
            raise InputError(f"{path.name}: {name} would need more than 4 GiB unpacked; save it with numpy.savez.")
        with archive.open(about) as stream:
            return np.lib.format.read_array(io.BytesIO(stream.read()), allow_pickle=False)
    except _TROUBLE as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path.name}: {name} is not a readable array ({_reason(error)}); save it again.") from error


def _offset_of(path: Path, about: zipfile.ZipInfo) -> int:
    """Find where the bytes of a stored member begin."""
    with path.open("rb") as stream:
        stream.seek(about.header_offset)
        fixed = stream.read(_ZIP_HEADER)
    names = int.from_bytes(fixed[26:28], "little") + int.from_bytes(fixed[28:30], "little")
    return about.header_offset + _ZIP_HEADER + names


def _places(path: Path, stored: dict[str, Any], options: ReadOptions) -> NDArray[Any] | None:
    """Find the trajectory: the file that was named, or the one in the archive."""
    if not options.trajectory:
        return stored.get(TRAJECTORY)
    file = Path(options.trajectory)
    if file.suffix == ".npz":
        with _archive(file) as archive:
            return _read_member(archive, TRAJECTORY if TRAJECTORY in _members(archive) else _members(archive)[0], file)
    if file.suffix != ".npy":
        raise InputError(
            f"trajectory: {file.name} is not a NumPy file; give .npy of shape (..., 2), rows before columns."
        )
    return open_npy(file)


def _reason(error: BaseException) -> str:
    """Give the first line of what a library complains about."""
    return (str(error).splitlines() or [type(error).__name__])[0][:120]  # a message holds no more
