"""The grid that Cartesian readouts are laid out on: sizes, centre of k-space, oversampling and fields of view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Header, Size
from napari_pogmdm.data.header import LARGEST_MATRIX
from napari_pogmdm.data.raw.lines import Encoding, LineKind, Lines, even, sizes
from napari_pogmdm.errors import InputError

_OVERSAMPLED = 1.01  # beyond which a ratio of fields of view is oversampling, and not rounding in the header


@dataclass(frozen=True)
class Grid:
    """Where readouts go.

    Attributes
    ----------
    full_rows
        Samples of the readout with its oversampling.
    rows, columns
        Of k-space without it.
    centre_1
        Phase-encoding step at zero frequency.
    header
        Sizes and fields of view for the acquisitions.
    remarks
        Where the file's header does not fit its samples.
    """

    full_rows: int
    rows: int
    columns: int
    centre_1: int
    header: Header
    remarks: tuple[str, ...] = ()

    @property
    def shape(self) -> Size:
        """Rows and columns of k-space."""
        return self.rows, self.columns

    def column(self, step_1: NDArray[np.integer]) -> NDArray[np.intp]:
        """Give the column of phase-encoding steps."""
        return np.asarray(step_1, dtype=np.intp) - self.centre_1 + self.columns // 2


def kept_samples(lines: Lines) -> NDArray[np.integer]:
    """Count the samples of readouts without those to throw away."""
    return np.asarray(lines["samples"] - lines["before"] - lines["after"])


def echo_places(lines: Lines) -> NDArray[np.integer]:
    """Find the sample at zero frequency among those that are kept, after turning round what was read backwards."""
    kept = kept_samples(lines)
    centre = np.where(lines["centre"] > 0, lines["centre"] - lines["before"], kept // 2)
    turned = (lines["kind"] & int(LineKind.REVERSED)) != 0
    return np.asarray(np.where(turned, kept - centre, centre))


def make_grid(lines: Lines, encoding: Encoding, name: str) -> Grid:
    """Lay out the grid for the readouts of an image.

    Parameters
    ----------
    lines
        Those that make the image.
    encoding
        What the header says; where it does not fit the readouts, they are believed.
    name
        Of the file.
    """
    kept, centre = kept_samples(lines), echo_places(lines)
    if kept.min() < 1 or centre.min() < 0 or (centre >= kept).any():
        raise InputError(f"{name}: the centre of a readout lies outside its samples; export the file again.")
    reach = int(2 * np.maximum(centre, kept - centre).max())
    remarks: list[str] = []
    matrix, view = encoding.matrix, encoding.view_mm
    columns, centre_1, known_columns = _phase_encoding(lines, encoding)
    full_rows, known_rows = _readout(reach, matrix[0] if matrix else None)
    oversampling = encoding.oversampling if known_rows else 1.0
    if (
        matrix and known_columns and full_rows == 2 * matrix[0]
    ):  # the header counts pixels, the readout is oversampled twice
        known_rows, oversampling = True, 2.0
    if not known_rows and matrix:
        remarks.append(f"the header describes readouts of {matrix[0]} samples, the file holds {full_rows}")
    rows = full_rows if oversampling < _OVERSAMPLED else even(full_rows / oversampling)
    if not known_columns and matrix:
        remarks.append(f"the header describes {matrix[1]} lines, too few for those measured; {columns} are used")
    if max(full_rows, columns) > LARGEST_MATRIX or full_rows * columns > LARGEST_MATRIX**2 // 64:
        raise InputError(f"{name}: its readouts need {sizes((full_rows, columns))} samples, which no scanner measures.")
    seen, crop = None, (rows, columns)
    if view and known_rows and known_columns:
        seen = (view[0] / encoding.oversampling, view[1])
        wanted = encoding.recon_view_mm or (*seen, 1.0)
        crop = (
            min(rows, round(rows * wanted[0] / seen[0])),
            min(columns, round(columns * wanted[1] / seen[1])),
        )
    header = Header(
        encoded_matrix=(rows, columns),
        recon_matrix=crop,
        encoded_field_of_view_mm=seen,
        recon_field_of_view_mm=None if seen is None else (seen[0] * crop[0] / rows, seen[1] * crop[1] / columns),
        contrast=encoding.contrast,
        field_strength_tesla=encoding.field_strength_tesla,
    )
    if rows < full_rows:
        remarks.append(f"readout oversampling removed ({full_rows} to {rows} samples)")
    return Grid(full_rows, rows, columns, centre_1, header, tuple(remarks))


def _readout(reach: int, stated: int | None) -> tuple[int, bool]:
    """Give the length of the readout's grid, and whether it is the header's."""
    if stated is not None and reach <= stated + 1:  # an odd readout reaches one further than it is long
        return max(stated, reach), True
    return even(reach), False


def _phase_encoding(lines: Lines, encoding: Encoding) -> tuple[int, int, bool]:
    """Give the number of columns, the step at zero frequency, and whether both are the header's."""
    first, last = int(lines["step_1"].min()), int(lines["step_1"].max())
    stated = encoding.matrix[1] if encoding.matrix else None
    centre = encoding.centre_1
    if stated is not None:
        for tried in (centre, stated // 2):
            if tried is not None and first - tried + stated // 2 >= 0 and last - tried + stated // 2 < stated:
                return stated, tried, True
    if centre is None or not first <= centre <= last:
        return last + 1, (last + 1) // 2, False
    return even(max(centre - first, last + 1 - centre) * 2), centre, False
