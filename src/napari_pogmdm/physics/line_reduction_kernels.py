"""Compiled loops of `LineReduction`: all run down the rows of an image, over contiguous columns at once.

Columns are kept apart by their place among four: first, second, third, and the fourth, which is ``kept`` to the end
together with the one to three columns that may follow the last four. Where loops compute, real and imaginary parts
stand side by side as single floats, so a step of one column is a step of two.
"""

from __future__ import annotations

import numpy as np

from napari_pogmdm.arrays import ComplexImage, Singles
from napari_pogmdm.runtime.compiled import compiled

_COLUMN = 2  # floats: real and imaginary part


@compiled()
def split_columns(
    image: ComplexImage, first: ComplexImage, second: ComplexImage, third: ComplexImage, kept: ComplexImage
) -> None:
    """Copy every fourth column of an image to each of the others.

    Parameters
    ----------
    image
        (rows, columns).
    first, second, third
        (rows, columns // 4), to be written.
    kept
        The same, and what is left over.
    """
    groups = first.shape[1]
    for y in range(image.shape[0]):
        for k in range(groups):
            first[y, k] = image[y, 4 * k]
            second[y, k] = image[y, 4 * k + 1]
            third[y, k] = image[y, 4 * k + 2]
            kept[y, k] = image[y, 4 * k + 3]
        for x in range(4 * groups, image.shape[1]):
            kept[y, x - 3 * groups] = image[y, x]


@compiled()
def join_columns(
    first: ComplexImage, second: ComplexImage, third: ComplexImage, kept: ComplexImage, image: ComplexImage
) -> None:
    """Undo `split_columns`.

    Parameters
    ----------
    first, second, third, kept
        As it wrote them.
    image
        (rows, columns), to be written.
    """
    groups = first.shape[1]
    for y in range(image.shape[0]):
        for k in range(groups):
            image[y, 4 * k] = first[y, k]
            image[y, 4 * k + 1] = second[y, k]
            image[y, 4 * k + 2] = third[y, k]
            image[y, 4 * k + 3] = kept[y, k]
        for x in range(4 * groups, image.shape[1]):
            image[y, x] = kept[y, x - 3 * groups]


@compiled(fastmath=True, error_model="numpy")
def _subtract_neighbours(source: Singles, found: Singles, sigma: np.float32) -> None:
    """Subtract sigma times the rows above and below, from as many columns as ``found`` has."""
    rows, width = found.shape
    for y in range(rows):
        if y > 0:
            for x in range(width):
                found[y, x] -= sigma * source[y - 1, x]
        if y < rows - 1:
            for x in range(width):
                found[y, x] -= sigma * source[y + 1, x]


@compiled(fastmath=True, error_model="numpy")
def eliminate(
    first: Singles, second: Singles, third: Singles, kept: Singles, spare: Singles, sigma: np.float32
) -> None:
    """Eliminate three columns of four by two steps of cyclic reduction, on their right-hand sides.

    Overwrites ``second`` and ``kept`` with the right-hand sides after the first and after the second step.

    Parameters
    ----------
    first, second, third
        (rows, 2 groups).
    kept
        (rows, 2 groups and more); what is more stays as it is.
    spare
        (3, rows, 2 groups) to work in.
    sigma
        Of the neighbours, where the middle of the difference operator is 1.
    """
    rows, width = first.shape
    halved, quartered, again = spare[0], spare[1], spare[2]
    for y in range(rows):
        for x in range(width):
            halved[y, x] = second[y, x] + sigma * (first[y, x] + third[y, x])
            quartered[y, x] = kept[y, x] + sigma * third[y, x]
        for x in range(width - _COLUMN):
            quartered[y, x] += sigma * first[y, x + _COLUMN]
    _subtract_neighbours(second, halved, sigma)
    _subtract_neighbours(kept, quartered, sigma)
    again[:] = quartered
    _subtract_neighbours(quartered, again, sigma)
    square = sigma * sigma
    for y in range(rows):
        for x in range(width):
            kept[y, x] = again[y, x] + square * (halved[y, x] - 2 * quartered[y, x])
            second[y, x] = halved[y, x]
        for x in range(width - _COLUMN):
            kept[y, x] += square * halved[y, x + _COLUMN]
    _subtract_neighbours(again, kept[:, :width], sigma)


@compiled(fastmath=True, error_model="numpy")
def fold(lines: Singles, even: Singles, odd: Singles) -> None:
    """Add the lower half of the rows, upside down, to the upper half, and subtract it; a middle row is even."""
    rows, width = lines.shape
    for y in range(rows // 2):
        for x in range(width):
            above, below = lines[y, x], lines[rows - 1 - y, x]
            even[y, x] = above + below
            odd[y, x] = above - below
    if rows % 2:
        even[rows // 2] = lines[rows // 2]


@compiled(fastmath=True, error_model="numpy")
def unfold(even: Singles, odd: Singles, lines: Singles) -> None:
    """Apply the adjoint of `fold`."""
    rows, width = lines.shape
    for y in range(rows // 2):
        for x in range(width):
            sum_, difference = even[y, x], odd[y, x]
            lines[y, x] = sum_ + difference
            lines[rows - 1 - y, x] = sum_ - difference
    if rows % 2:
        lines[rows // 2] = even[rows // 2]


@compiled(fastmath=True, error_model="numpy")
def solve_kept(spectra: Singles, lower: Singles, pivots: Singles, upper: Singles) -> None:
    """Solve across the kept columns, for every frequency along the others, in place.

    Parameters
    ----------
    spectra
        (2 columns, frequencies).
    lower
        (columns,) what the column before counts.
    pivots, upper
        (columns, frequencies) of the elimination: one over what is left of the diagonal, and what the column after
        counts, times that.
    """
    columns, frequencies = pivots.shape
    for row in range(_COLUMN):
        for i in range(frequencies):
            spectra[row, i] *= pivots[0, i]
    for row in range(_COLUMN, _COLUMN * columns):
        k = row // _COLUMN
        before = lower[k]
        for i in range(frequencies):
            spectra[row, i] = (spectra[row, i] + before * spectra[row - _COLUMN, i]) * pivots[k, i]
    for row in range(_COLUMN * (columns - 1) - 1, -1, -1):
        k = row // _COLUMN
        for i in range(frequencies):
            spectra[row, i] += upper[k, i] * spectra[row + _COLUMN, i]


@compiled(fastmath=True, error_model="numpy")
def _solve_down(values: Singles, sigma: np.float32, pivots: Singles) -> None:
    """Solve down the rows, in place, with ``pivots`` (rows,) of the elimination and neighbours that count sigma."""
    rows, width = values.shape
    for x in range(width):
        values[0, x] *= pivots[0]
    for y in range(1, rows):
        own, before = pivots[y], sigma * pivots[y]
        for x in range(width):
            values[y, x] = values[y, x] * own + values[y - 1, x] * before
    for y in range(rows - 2, -1, -1):
        after = sigma * pivots[y]
        for x in range(width):
            values[y, x] += values[y + 1, x] * after


@compiled(fastmath=True, error_model="numpy")
def substitute(
    first: Singles,
    second: Singles,
    third: Singles,
    kept: Singles,
    sigma: np.float32,
    share: np.float32,
    pivots: Singles,
) -> None:
    """Find the columns that `eliminate` left out, in place, from those that were kept.

    Parameters
    ----------
    first, second, third, kept
        As `eliminate` left them, but for ``kept``, which is solved.
    sigma
        Of the neighbours.
    share
        1 / (1 + 4 beta), by which right-hand sides are multiplied.
    pivots
        (3, rows) of the difference operator, and of the two factors of its square less 2.
    """
    rows, width = first.shape
    square = sigma * sigma
    for y in range(rows):
        for x in range(width):
            second[y, x] = share * second[y, x] + square * kept[y, x]
        for x in range(width - _COLUMN):
            second[y, x + _COLUMN] += square * kept[y, x]
    _solve_down(second, sigma, pivots[1])
    _solve_down(second, sigma, pivots[2])
    for y in range(rows):
        for x in range(width):
            first[y, x] = share * first[y, x] + sigma * second[y, x]
            third[y, x] = share * third[y, x] + sigma * (second[y, x] + kept[y, x])
        for x in range(width - _COLUMN):
            first[y, x + _COLUMN] += sigma * kept[y, x]
    _solve_down(first, sigma, pivots[0])
    _solve_down(third, sigma, pivots[0])
