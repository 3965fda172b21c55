"""Brushes on a grid of samples: which cells a stroke covers, and where its mirror images lie. No window in here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.physics.masks.centre import central
from napari_pogmdm.physics.masks.mask import Samples

Cell = tuple[int, int]
Shape = tuple[int, int]


class Brush(Enum):
    """What a stroke covers: a straight line between its ends, whole columns or rows it crosses, or what it touches."""

    LINE = "line"
    COLUMN = "column"
    ROW = "row"
    POINT = "point"


@dataclass(frozen=True)
class Symmetry:
    """Mirror images that are painted together with a stroke.

    Attributes
    ----------
    point
        Through the centre of k-space, as the data of a real image are: k and -k.
    left_right
        Across the vertical axis, column by column.
    top_bottom
        Across the horizontal axis, row by row.
    """

    point: bool = False
    left_right: bool = False
    top_bottom: bool = False

    def spread(self, cells: Samples) -> Samples:
        """Join cells with all of their mirror images, and the mirror images of those."""
        if self.point:
            cells = cells | mirrored(cells, rows=True, columns=True)
        if self.left_right:
            cells = cells | mirrored(cells, rows=False, columns=True)
        if self.top_bottom:
            cells = cells | mirrored(cells, rows=True, columns=False)
        return cells

    def __str__(self) -> str:
        names = {"through the centre": self.point, "left-right": self.left_right, "top-bottom": self.top_bottom}
        return " and ".join(name for name, chosen in names.items() if chosen)


def mirrored(cells: Samples, *, rows: bool, columns: bool) -> Samples:
    """Reverse axes about the centre of k-space, index ``n // 2``.

    On an axis of even length the first index has its partner one step outside of the grid; k-space being periodic,
    it is its own mirror image.
    """
    down, across = (np.arange(size) for size in cells.shape)
    if rows:
        down = _opposite(cells.shape[0])
    if columns:
        across = _opposite(cells.shape[1])
    return cells[np.ix_(down, across)]


def covered(brush: Brush, start: Cell, end: Cell, size: int, shape: Shape) -> Samples:
    """Find the cells under a straight piece of a stroke.

    Parameters
    ----------
    brush
        Its form.
    start, end
        Row and column, which may lie outside of the grid.
    size
        Diameter of the brush; for columns and rows, how many lie side by side.
    shape
        Rows and columns of the grid.
    """
    cells = np.zeros(shape, dtype=bool)
    if brush is Brush.COLUMN:
        cells[:, _band(start[1], end[1], size, shape[1])] = True
        return cells
    if brush is Brush.ROW:
        cells[_band(start[0], end[0], size, shape[0])] = True
        return cells
    path = line_cells(start, end)
    touched = (path[:, None, :] + _disc(size)[None, :, :]).reshape(-1, 2)
    inside = ((touched >= 0) & (touched < shape)).all(axis=1)
    cells[tuple(touched[inside].T)] = True
    return cells


def line_cells(start: Cell, end: Cell) -> NDArray[np.int64]:
    """List the cells of a straight line, both ends included, each touching the next at a side or a corner."""
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    shares = np.linspace(0.0, 1.0, steps + 1)[:, None]
    return np.rint(np.asarray(start) + shares * (np.asarray(end) - np.asarray(start))).astype(np.int64)


def central_lines(count: int, shape: Shape, axis: str) -> Samples:
    """Mark the middle columns or rows: the auto-calibration signal (ACS)."""
    cells = np.zeros(shape, dtype=bool)
    if axis == "columns":
        cells[:, central(shape[1], min(count, shape[1]))] = True
    else:
        cells[central(shape[0], min(count, shape[0]))] = True
    return cells


def central_square(count: int, shape: Shape) -> Samples:
    """Mark the middle ``count`` x ``count`` cells."""
    cells = np.zeros(shape, dtype=bool)
    cells[central(shape[0], min(count, shape[0])), central(shape[1], min(count, shape[1]))] = True
    return cells


def _opposite(count: int) -> NDArray[np.int64]:
    return (2 * (count // 2) - np.arange(count)) % count


def _band(start: int, end: int, size: int, count: int) -> slice:
    first = min(start, end) - (size - 1) // 2
    last = max(start, end) + size // 2
    return slice(max(first, 0), max(min(last + 1, count), 0))


def _disc(size: int) -> NDArray[np.int64]:
    """Offsets of the cells whose middles lie in a disc of this diameter; even sizes lean to the lower right."""
    reach = np.arange(size) - (size - 1) // 2
    down, across = np.meshgrid(reach, reach, indexing="ij")
    middle = 0.5 if size % 2 == 0 else 0.0
    near = np.hypot(down - middle, across - middle) <= size / 2
    return np.stack([down[near], across[near]], axis=1)
