"""How many small pictures fit beside each other, and which one lies under the mouse; no Qt in here."""

from __future__ import annotations

import math
from dataclasses import dataclass

_EMPTY_PENALTY = 0.15  # an empty place is as bad as a cell that is this share too wide


@dataclass(frozen=True)
class Cells:
    """A page of equal cells in reading order.

    Attributes
    ----------
    first, count
        The first cell on the page, and how many there are on it.
    page, pages
        This page, from 0, and how many there are.
    rows, columns
        Of the page.
    width, height
        Of a cell, in pixels.
    """

    first: int
    count: int
    page: int
    pages: int
    rows: int
    columns: int
    width: float
    height: float

    def corner(self, number: int) -> tuple[float, float]:
        """Left and top of a cell of this page, by its number among all."""
        row, column = divmod(number - self.first, self.columns)
        return column * self.width, row * self.height

    def at(self, x: float, y: float) -> int | None:
        """Find the number of the cell at a point."""
        if x < 0 or y < 0 or x >= self.columns * self.width or y >= self.rows * self.height:
            return None
        place = int(y / self.height) * self.columns + int(x / self.width)
        return self.first + place if place < self.count else None

    @property
    def numbers(self) -> range:
        """Numbers of the cells on this page."""
        return range(self.first, self.first + self.count)


def arrange(
    total: int, width: float, height: float, smallest: tuple[float, float], aspect: float, page: int = 0
) -> Cells:
    """Spread cells over an area: all of them if they stay readable, else as many as do, the rest on further pages.

    Parameters
    ----------
    total
        Number of cells on all pages.
    width, height
        Of the area, in pixels.
    smallest
        Width and height that a cell needs to be read.
    aspect
        Width over height that a cell should have.
    page
        The wished page; the last one if there are fewer.
    """
    most_columns = max(1, int(width // smallest[0]))
    most_rows = max(1, int(height // smallest[1]))
    page_size = max(1, min(total, most_columns * most_rows))
    pages = max(1, math.ceil(total / page_size))
    page_size = max(1, math.ceil(total / pages))
    columns, rows = _best_shape(page_size, width, height, most_columns, most_rows, aspect)
    shown = max(0, min(page, pages - 1))
    count = max(0, min(page_size, total - shown * page_size))
    return Cells(shown * page_size, count, shown, pages, rows, columns, width / columns, height / rows)


def _best_shape(
    count: int, width: float, height: float, most_columns: int, most_rows: int, aspect: float
) -> tuple[int, int]:
    """Columns and rows that hold the cells with the fewest empty places and the shape nearest to the wished one."""
    best, chosen = math.inf, (min(count, most_columns), min(most_rows, math.ceil(count / min(count, most_columns))))
    for columns in range(1, min(count, most_columns) + 1):
        rows = math.ceil(count / columns)
        if rows > most_rows:
            continue
        shape = (width / columns) / (height / rows)
        empty = columns * rows - count
        penalty = abs(math.log(shape / aspect)) + _EMPTY_PENALTY * empty
        if penalty < best:
            best, chosen = penalty, (columns, rows)
    return chosen
