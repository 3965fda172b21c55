"""Arrays with named axes as a scan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Acquisition, Header, Origin, Size, check_slice_index
from napari_pogmdm.data.arrays.axes import NamedArray
from napari_pogmdm.data.arrays.trajectory_units import inside, scale_to_cycles
from napari_pogmdm.data.dimensions import counters_of, words_of
from napari_pogmdm.data.reading import ReadOptions
from napari_pogmdm.data.samples import check_centre, check_samples, own_mask
from napari_pogmdm.errors import InputError
from napari_pogmdm.reading import LARGEST_READ

_SMALLEST = 8  # rows and columns; below that there is no image to speak of
_MOST_COILS = 512  # more than the largest receive arrays have, so that more is an axis with the wrong name


@dataclass(frozen=True, eq=False)
class ArrayScan:
    """Slices of an array on disk, read when they are asked for.

    Attributes
    ----------
    path
        Of the file.
    kspace
        The samples.
    options
        How the file was read.
    trajectory
        Places of the samples with the axis "directions" last, where they lie on no grid.
    grid
        Rows and columns of the image then.
    scale
        Turns the trajectory into cycles per pixel.
    remarks
        What was found and done.
    known_as
        Name of a bundled scan, by which it is opened again.
    """

    path: Path
    kspace: NamedArray
    options: ReadOptions = field(default_factory=ReadOptions)
    trajectory: NamedArray | None = None
    grid: Size | None = None
    scale: float = 1.0
    remarks: tuple[str, ...] = ()
    known_as: str = ""

    @property
    def name(self) -> str:
        """The file's name, or that of a bundled scan."""
        return self.known_as or self.path.name

    @property
    def dimensions(self) -> dict[str, int]:
        """How many slices there are, and contrasts, repetitions and so on where there are several."""
        sizes = self.kspace.counters()
        return {"slice": sizes.pop("slice", 1), **{name: size for name, size in sizes.items() if size > 1}}

    def __len__(self) -> int:
        return int(np.prod(list(self.dimensions.values())))

    def __iter__(self) -> Iterator[Acquisition]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> Acquisition:
        check_slice_index(index, len(self), self.name)
        where = f"{self.name}, {words_of(self, index)}"
        counters = counters_of(self, index)
        origin = Origin(self.known_as or str(self.path.resolve()), index, self.options.to_dict())
        if self.trajectory is not None and self.grid is not None:
            kspace = _complex(self.kspace.take(counters, ("coils", "samples")))
            found = np.real(self.trajectory.take(counters, ("samples", "directions")))
            places = np.asarray(found, dtype=np.float32)
            if len(places) != kspace.shape[1]:
                raise InputError(
                    f"{where}: has {kspace.shape[1]} samples, but {len(places)} positions on its trajectory."
                )
            places, kept = inside(places[:, :2] * np.float32(self.scale))
            check_samples(kspace, where)
            remarks = (*self.remarks, f"{int(kept.sum())} samples along a trajectory")
            header = Header(encoded_matrix=self.grid, recon_matrix=self.grid)
            samples = np.ascontiguousarray(kspace[:, kept])
            return Acquisition(
                samples, where, header, origin=origin, trajectory=places, grid=self.grid, remarks=remarks
            )
        kspace = _complex(self.kspace.take(counters, ("coils", "rows", "columns")))
        check_samples(kspace, where)
        measured = (kspace != 0).any(axis=0)
        check_centre(measured, where)
        lines = int(measured.any(axis=0).sum())
        shape = (kspace.shape[1], kspace.shape[2])
        return Acquisition(
            kspace,
            where,
            Header(encoded_matrix=shape, recon_matrix=shape),
            mask=own_mask(measured),
            origin=origin,
            remarks=(*self.remarks, f"{lines} of {shape[1]} lines measured"),
        )


def check_array(scan: ArrayScan) -> None:
    """Refuse an array whose axes cannot be what they are called."""
    sizes = dict(zip(scan.kspace.axes, scan.kspace.values.shape, strict=True))
    shape = scan.kspace.values.shape
    if scan.kspace.values.dtype.kind != "c":
        raise InputError(f"{scan.name}: holds {scan.kspace.values.dtype} numbers, but k-space is complex.")
    if 0 in shape:
        raise InputError(f"{scan.name}: is empty, of shape {shape}.")
    if sizes.get("coils", 1) > _MOST_COILS:
        raise InputError(
            f"{scan.name}: would have {sizes['coils']} coils; its shape is {shape}, so name its axes with --axes."
        )
    small = [name for name in ("rows", "columns") if name in sizes and sizes[name] < _SMALLEST]
    if small:
        raise InputError(
            f"{scan.name}: would have {sizes[small[0]]} {small[0]}; its shape is {shape}, so name its axes with --axes."
        )
    one = int(np.prod(shape)) // max(1, int(np.prod(list(scan.kspace.counters().values()))))
    if one * 8 > LARGEST_READ:  # bytes of a complex64
        raise InputError(f"{scan.name}: one slice would need more than 4 GiB; split the file, or name its axes.")


def along(
    path: Path, kspace: NamedArray, trajectory: NamedArray, options: ReadOptions, remarks: tuple[str, ...] = ()
) -> ArrayScan:
    """Make a scan of samples along a trajectory, in whichever units it is.

    Parameters
    ----------
    path
        Of the file.
    kspace, trajectory
        Samples and places.
    options
        May say how large the image is.
    remarks
        What was found before.
    """
    values = trajectory.values
    if values.dtype.kind not in "fc" or values.size == 0:
        raise InputError(f"{path.name}: its trajectory holds {values.dtype} numbers of shape {values.shape}.")
    axis = trajectory.axes.index("directions")
    furthest = 0.0
    for direction in range(2):
        index = tuple(direction if place == axis else slice(None) for place in range(values.ndim))
        furthest = float(np.maximum(furthest, np.abs(np.real(values[index])).max()))  # NaN stays NaN
    size, words = options.size(), list(remarks)
    if size is None:
        size, said = _guess(furthest, kspace, trajectory)
        words.append(said)
    scale, said = scale_to_cycles(furthest, size, path.name)
    scan = ArrayScan(path, kspace, options, trajectory, size, scale, tuple(word for word in (*words, said) if word))
    check_array(scan)
    return scan


def _guess(furthest: float, kspace: NamedArray, trajectory: NamedArray) -> tuple[Size, str]:
    """Find the size of the image: twice the highest frequency, or half the samples of a readout."""
    if furthest > 1:  # periods over the field of view, as BART counts
        side = 2 * int(np.ceil(furthest - 1e-3))  # rounding of single precision
        return (side, side), f"image of {side} x {side} pixels, twice the highest frequency"
    readouts = [size for name, size in zip(trajectory.axes, trajectory.values.shape, strict=True) if name == "samples"]
    longest = max(readouts) if len(readouts) > 1 else int(np.sqrt(max(readouts)))
    side = max(_SMALLEST, 2 * round(longest / 4))
    return (side, side), f"image of {side} x {side} pixels, as readouts are oversampled twice; --matrix changes it"


def _complex(samples: NDArray[np.generic]) -> NDArray[np.complex64]:
    return np.array(samples, dtype=np.complex64, order="C")  # a copy: a mapped file cannot be written to
