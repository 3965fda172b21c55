"""BART's files: a text header ``.hdr`` with sizes, and samples ``.cfl`` with the first axis running fastest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.arrays.array_scan import ArrayScan, along, check_array
from napari_pogmdm.data.arrays.axes import NamedArray, parse_axes
from napari_pogmdm.data.reading import ReadOptions
from napari_pogmdm.errors import InputError

_LARGEST_TEXT = 1 << 20  # bytes of a header, which has a few lines
_MOST_AXES = 16  # that BART has
_BYTES = 8  # of a sample: two single-precision numbers

# BART's axes by their numbers.
_PHASE_2, _COILS, _ECHOES, _TIME, _SLICES, _AVERAGES = 2, 3, 5, 10, 13, 14
_NAMED = {_COILS: "coils", _ECHOES: "contrasts", _TIME: "repetitions", _SLICES: "slices", _AVERAGES: "averages"}


def read_cfl(path: Path) -> NDArray[np.complex64]:
    """Map a BART array into memory, without reading it.

    Parameters
    ----------
    path
        Of the ``.cfl`` or ``.hdr`` file, or their common name.
    """
    header, samples = with_ending(path, ".hdr"), with_ending(path, ".cfl")
    for file in (header, samples):
        if not file.is_file():
            raise InputError(f"{file}: no such file; BART keeps an array in two files, .hdr and .cfl.")
    shape = _shape(header)
    try:
        found = samples.stat().st_size
        wanted = _BYTES * int(np.prod([int(size) for size in shape], dtype=object))
        if found != wanted:
            raise InputError(
                f"{samples.name}: has {found} bytes, but {header.name} says {wanted}; one of them is cut short or "
                "belongs to another array."
            )
        return np.memmap(samples, dtype=np.complex64, mode="r", shape=shape, order="F")
    except (OSError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{samples.name}: cannot be read ({error}).") from error


def open_cfl(path: Path, options: ReadOptions) -> ArrayScan:
    """Open k-space in BART's files, with its trajectory where there is one.

    Parameters
    ----------
    path
        Of either file.
    options
        May name the axes, the trajectory, and the size of the image. Without it, the trajectory of ``NAME`` is looked
        for in ``NAME_traj`` if k-space has BART's layout for one.
    """
    values = read_cfl(path)
    shape = tuple(int(size) for size in values.shape)
    file = with_ending(path, ".cfl")
    trajectory = _trajectory_file(file, shape, options)
    if trajectory is None:
        axes = parse_axes(options.axes, shape, file.name) if options.axes else _axes_on_grid(shape, file.name)
        scan = ArrayScan(file, NamedArray(values, axes), options)
        check_array(scan)
        return scan
    places = read_cfl(trajectory)
    if places.shape[0] not in {2, 3} or places.ndim < 3:
        raise InputError(f"{trajectory.name}: has shape {places.shape}, expected BART's (3, samples, readouts).")
    axes = (
        parse_axes(options.axes, shape, file.name, along_trajectory=True)
        if options.axes
        else ("-", "samples", "samples", *_axes_beyond(shape, file.name))
    )
    if places.shape[1:3] != shape[1:3] and not options.axes:
        raise InputError(f"{trajectory.name}: has shape {places.shape}, which does not go with samples {shape}.")
    if places.shape[0] == 3 and np.abs(places[2]).max() > 0:
        raise InputError(f"{trajectory.name}: leaves the plane (3-D), and only 2-D trajectories can be reconstructed.")
    beyond = tuple("-" if size == 1 else axes[place + 3] for place, size in enumerate(places.shape[3:]))
    named = NamedArray(places, ("directions", "samples", "samples", *beyond))
    return along(file, NamedArray(values, axes), named, options, (f"trajectory of {trajectory.name}",))


def with_ending(path: Path, ending: str) -> Path:
    """Give the name of one of the two files."""
    return path.with_suffix(ending) if path.suffix in {".cfl", ".hdr"} else path.with_name(path.name + ending)


def _shape(header: Path) -> tuple[int, ...]:
    """Read the sizes: the first line after "# Dimensions"."""
    try:
        if header.stat().st_size > _LARGEST_TEXT:
            raise InputError(f"{header.name}: is too long for a header of BART.")
        lines = header.read_text(encoding="ascii", errors="replace").splitlines()
        place = next(number for number, line in enumerate(lines) if line.strip().lower() == "# dimensions")
        sizes = [int(word) for word in lines[place + 1].split()]
    except (OSError, StopIteration, IndexError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{header.name}: is not a header of BART; it lacks a line of sizes.") from error
    if not sizes or len(sizes) > _MOST_AXES or min(sizes) < 1:
        raise InputError(f"{header.name}: its sizes {sizes[:_MOST_AXES]} are not those of an array.")
    return tuple(sizes)


def _trajectory_file(file: Path, shape: tuple[int, ...], options: ReadOptions) -> Path | None:
    """Find the trajectory: the one that was named, or that beside the file."""
    if options.trajectory:
        return Path(options.trajectory)
    beside = file.with_name(f"{file.stem}_traj.hdr")
    off_grid = len(shape) > _PHASE_2 and shape[0] == 1 and shape[1] > 1
    return beside if off_grid and beside.is_file() else None


def _axes_on_grid(shape: tuple[int, ...], name: str) -> tuple[str, ...]:
    """Name the axes of k-space on a grid: its two longest of the first three are rows and columns."""
    padded = (*shape, 1, 1, 1)
    plane = [axis for axis in range(3) if padded[axis] > 1]
    if len(plane) != 2:
        what = "a 3-D volume; transform and slice it first (bart fft, bart slice)" if len(plane) == 3 else "no plane"
        ways = (
            "if its samples lie along a trajectory, give it with --trajectory-file"
            if len(plane) < 2
            else "or name --axes"
        )
        raise InputError(f"{name}: its shape {shape} is {what}; {ways}.")
    first = ["-", "-", "-"]
    first[plane[0]], first[plane[1]] = "rows", "columns"
    return (*first, *_axes_beyond(shape, name))[: len(shape)]


def _axes_beyond(shape: tuple[int, ...], name: str) -> tuple[str, ...]:
    """Name the axes from coils on."""
    names = []
    for axis, size in enumerate(shape[3:], start=3):
        if axis not in _NAMED and size > 1:
            raise InputError(
                f"{name}: its axis {axis} has length {size}, which is none of coils, echoes, time, slices or averages; "
                f"choose one with bart slice {axis} 0, or name all with --axes."
            )
        names.append(_NAMED.get(axis, "-"))
    return tuple(names)
