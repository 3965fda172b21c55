"""A raw file as a scan: its readouts are laid out on the grid, or along their trajectory, one slice at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from napari_pogmdm.data.acquisition import Acquisition, Origin, check_slice_index
from napari_pogmdm.data.dimensions import words_of
from napari_pogmdm.data.place import Place, place_of
from napari_pogmdm.data.raw.grid import Grid, echo_places, kept_samples, make_grid
from napari_pogmdm.data.raw.lines import Indices, LineKind, Lines, RawSource
from napari_pogmdm.data.raw.sorting import Order, sort_lines
from napari_pogmdm.data.raw.spokes import Spokes, make_spokes
from napari_pogmdm.data.raw.whitening import whitening_matrix
from napari_pogmdm.data.samples import check_centre, check_samples, own_mask
from napari_pogmdm.errors import InputError
from napari_pogmdm.reading import LARGEST_READ


@dataclass(frozen=True, eq=False)
class RawScan:
    """Slices of a raw file, read when they are asked for.

    Attributes
    ----------
    path
        Of the file.
    source
        Its readouts.
    order
        Which of them make which slice.
    layout
        Where they go: a grid, or along a trajectory.
    whitening
        (coils, coils), where there is a noise scan.
    remarks
        What was found in the file and done to all slices.
    """

    path: Path
    source: RawSource
    order: Order
    layout: Grid | Spokes
    whitening: NDArray[np.complex64] | None
    remarks: tuple[str, ...]

    @property
    def name(self) -> str:
        """The file's name."""
        return self.source.name

    @cached_property
    def dimensions(self) -> dict[str, int]:
        """How many slices there are, and contrasts, repetitions and so on where there are several."""
        return dict(self.order.dimensions)

    def __len__(self) -> int:
        return int(np.prod(list(self.dimensions.values())))

    def __iter__(self) -> Iterator[Acquisition]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> Acquisition:
        check_slice_index(index, len(self), self.name)
        where = f"{self.name}, {words_of(self, index)}"
        members, partition = self._members(index)
        if not len(members):
            raise InputError(f"{where}: the file holds no readouts of it; choose another one.")
        lines = self.source.lines[members]
        origin = Origin(str(self.path.resolve()), index)
        if isinstance(self.layout, Spokes):
            kspace, places, words = self.layout.gather(self.source, members, where)
            kspace = kspace if self.whitening is None else self.whitening @ kspace
            check_samples(kspace, where)
            return Acquisition(
                kspace,
                where,
                self.layout.header,
                origin=origin,
                trajectory=places,
                grid=self.layout.shape,
                remarks=(*self.remarks, *words),
                place=self._place(lines, partition, turned=True),
            )
        kspace, mask = self._on_grid(self.layout, members, lines, partition, where)
        check_centre(mask, where)
        check_samples(kspace, where)
        return Acquisition(
            kspace,
            where,
            self.layout.header,
            mask=own_mask(mask),
            origin=origin,
            remarks=(*self.remarks, _measured_words(mask)),
            place=self._place(lines, partition, turned=False),
        )

    def _members(self, index: int) -> tuple[Indices, int]:
        """Give the readouts of an image, and of a 3-D scan which slice of the slab it is."""
        kept = self.order.kept_partitions
        slices = self.dimensions["slice"]
        rest, slice_ = divmod(index, slices)
        slab, partition = divmod(slice_, kept)
        return self.order.members[rest * (slices // kept) + slab], partition + (self.order.partitions - kept) // 2

    def _place(self, lines: Lines, partition: int, turned: bool) -> Place | None:
        """Give the place of a slice; along a trajectory, rows run along the phase encoding."""
        encoding, count = self.source.encoding, self.order.partitions
        thickness = encoding.view_mm[2] / count if encoding.view_mm else None
        directions = lines["directions"][0].astype(np.float64)
        position = lines["position"][0].astype(np.float64)
        if count > 1 and thickness is not None:
            position = position + directions[2] * thickness * (partition - count // 2)
        return place_of(position, directions[[1, 0, 2]] if turned else directions, thickness)

    def _on_grid(
        self, grid: Grid, members: Indices, lines: Lines, partition: int, where: str
    ) -> tuple[NDArray[np.complex64], NDArray[np.bool_]]:
        """Lay readouts out: average, whiten, and take the oversampling away."""
        column = grid.column(lines["step_1"])
        calibration = (lines["kind"] & int(LineKind.CALIBRATION)) != 0
        inside = (column >= 0) & (column < grid.columns)
        inside &= ~(calibration & np.isin(column, column[~calibration]))  # the image's own line comes first
        members, lines, column = members[inside], lines[inside], column[inside]
        if not len(members):
            raise InputError(f"{where}: none of its lines lies on the grid of {grid.columns} columns.")
        weights = self._weights(lines, partition)
        used, place = np.unique(column, return_inverse=True)
        coils = int(lines["coils"][0])
        if coils * grid.full_rows * grid.columns * 8 > LARGEST_READ:
            raise InputError(f"{where}: would need more than 4 GiB; split the file.")
        block = np.zeros((coils, grid.full_rows, len(used)), dtype=np.complex64)
        counts = np.zeros((grid.full_rows, len(used)), dtype=np.int32)
        starts = grid.full_rows // 2 - echo_places(lines)
        lengths = np.minimum(kept_samples(lines), grid.full_rows - starts)
        for number, samples in enumerate(self.source.read(members)):
            line, start, length = lines[number], int(starts[number]), int(lengths[number])
            kept = samples[:, line["before"] : samples.shape[1] - line["after"]]
            if line["kind"] & int(LineKind.REVERSED):
                kept = kept[:, ::-1]
            rows = slice(start, start + length)
            block[:, rows, place[number]] += weights[number] * kept[:, :length]
            counts[rows, place[number]] += 1
        if self.whitening is not None:
            block = np.einsum("dc,crk->drk", self.whitening, block, optimize=True)
        block, measured = _without_oversampling(block, counts > 0, grid)
        kspace = np.zeros((coils, *grid.shape), dtype=np.complex64)
        mask = np.zeros(grid.shape, dtype=bool)
        kspace[:, :, used], mask[:, used] = block, measured
        kspace[:, ~mask] = 0
        return kspace, mask

    def _weights(self, lines: Lines, partition: int) -> NDArray[np.complex64]:
        """Weigh readouts: averages by their number, partitions by the transform to one slice."""
        keys = np.stack((lines["step_1"], lines["step_2"]), axis=1)
        _, inverse, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        weights = 1 / counts[inverse.reshape(-1)].astype(np.complex128)
        count = self.order.partitions
        if count > 1:
            turns = (lines["step_2"] - self.order.centre_2) * (partition - count // 2) / count
            weights = weights * np.exp(2j * np.pi * turns) / np.sqrt(count)
        return weights.astype(np.complex64)


def open_raw(path: Path, source: RawSource) -> RawScan:
    """Sort a file's readouts and get ready to read its slices.

    Parameters
    ----------
    path
        Of the file.
    source
        Its readouts.
    """
    order = sort_lines(source)
    members = np.concatenate(order.members)
    lines = source.lines[members]
    layout = make_spokes(source, lines, members) or make_grid(lines, source.encoding, source.name)
    whitening, words = whitening_matrix(source.read_noise(), int(lines["coils"][0]))
    averages = int(lines["average"].max()) + 1
    remarks = [*source.remarks, *order.remarks, words, *layout.remarks]
    if averages > 1:
        remarks.append(f"mean of {averages} averages")
    return RawScan(path, source, order, layout, whitening, tuple(remark for remark in remarks if remark))


def _without_oversampling(
    block: NDArray[np.complex64], measured: NDArray[np.bool_], grid: Grid
) -> tuple[NDArray[np.complex64], NDArray[np.bool_]]:
    """Cut the image (coils, readout, lines) to its field of view along the readout."""
    if grid.rows == grid.full_rows:
        return block, measured
    image = fft.fftshift(fft.ifft(fft.ifftshift(block, axes=1), axis=1, norm="ortho"), axes=1)
    first = grid.full_rows // 2 - grid.rows // 2
    image = image[:, first : first + grid.rows]
    kept = fft.fftshift(fft.fft(fft.ifftshift(image, axes=1), axis=1, norm="ortho"), axes=1)
    step = grid.full_rows / grid.rows
    nearest = np.round((np.arange(grid.rows) - grid.rows // 2) * step).astype(int) + grid.full_rows // 2
    return np.asarray(kept, dtype=np.complex64), measured[np.clip(nearest, 0, grid.full_rows - 1)]


def _measured_words(mask: NDArray[np.bool_]) -> str:
    """Say how much of the grid was measured."""
    lines = int(mask.any(axis=0).sum())
    rows = np.flatnonzero(mask.any(axis=1))
    words = f"{lines} of {mask.shape[1]} lines measured"
    if len(rows) < mask.shape[0]:
        words += f", {len(rows)} of {mask.shape[0]} samples of each (asymmetric echo)"
    return words
