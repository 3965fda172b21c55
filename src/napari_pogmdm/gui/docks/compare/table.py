"""A table of numbers: sortable by every column, with the best of each in bold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from qtpy.QtCore import QEvent, Qt
from qtpy.QtGui import QFontMetrics
from qtpy.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem

from napari_pogmdm.gui.widgets.plots import by_letters

Value = str | int | float | None

_VALUE, _KEY = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1  # Qt leaves these numbers to programs
_NOTHING = "–"
_LOWEST = 60  # pixels: the heading and two rows
_NARROWEST = 30  # pixels: a heading of four letters
_ROW_HEIGHT = 22  # pixels; napari's theme would make rows half as high again
_PADDING = 10  # pixels beside the text of a cell, so that columns do not touch


@dataclass(frozen=True)
class Column:
    """A column and how it is written.

    Attributes
    ----------
    heading, tip
        Its name with the unit, and what it means.
    pattern
        How its numbers are formatted.
    better
        1 where high numbers are better, -1 where low ones are, 0 for neither.
    """

    heading: str
    tip: str
    pattern: str = "{}"
    better: int = 0


@dataclass(frozen=True)
class TableRow:
    """A row of a table.

    Attributes
    ----------
    key
        Tells rows apart, however they are sorted.
    values
        One a column; ``None`` and NaN are shown as a dash.
    tip
        Tooltip of all of its cells.
    """

    key: str
    values: tuple[Value, ...]
    tip: str = ""


class SortedItem(QTableWidgetItem):
    """A cell that sorts by its value, not by its text; cells without a value come last."""

    def __lt__(self, other: QTableWidgetItem) -> bool:
        mine, theirs = self.data(_VALUE), other.data(_VALUE)
        if isinstance(mine, str) and isinstance(theirs, str):
            return mine < theirs
        return _last_if_nothing(mine) < _last_if_nothing(theirs)


class NumberTable(QTableWidget):
    """Rows of numbers under columns that explain themselves.

    Parameters
    ----------
    columns
        From left to right.
    name
        Of the table, for screen readers.
    """

    def __init__(self, columns: Sequence[Column], name: str) -> None:
        super().__init__(0, len(columns))
        self._columns = tuple(columns)
        self.setAccessibleName(name)
        for number, column in enumerate(columns):
            heading = QTableWidgetItem(column.heading)
            heading.setToolTip(column.tip)
            self.setHorizontalHeaderItem(number, heading)
        across, down = self.horizontalHeader(), self.verticalHeader()
        assert across is not None
        assert down is not None
        across.setStretchLastSection(True)
        across.setMinimumSectionSize(_NARROWEST)
        down.hide()
        down.setDefaultSectionSize(by_letters(_ROW_HEIGHT))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSortingEnabled(True)
        across.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setMinimumHeight(by_letters(_LOWEST))

    def show_rows(self, rows: Sequence[TableRow]) -> None:
        """Fill in rows; selection and order are kept."""
        chosen = self.chosen
        self.setSortingEnabled(False)
        self.setRowCount(len(rows))
        best = [self._best(number, rows) for number in range(len(self._columns))]
        for line, row in enumerate(rows):
            for number, value in enumerate(row.values):
                item = _item(self._columns[number], value)
                item.setData(_KEY, row.key)
                item.setToolTip(row.tip)
                font = item.font()
                font.setBold(best[number] is not None and value == best[number])
                item.setFont(font)
                self.setItem(line, number, item)
        self.setSortingEnabled(True)
        self._fit_columns()
        self.clearSelection()
        for line, key in enumerate(self.keys):
            if key in chosen:
                for number in range(self.columnCount()):
                    self._cell(line, number).setSelected(True)

    @property
    def keys(self) -> list[str]:
        """Keys of the rows from top to bottom, as sorted now."""
        return [str(self._cell(line, 0).data(_KEY)) for line in range(self.rowCount())]

    @property
    def chosen(self) -> list[str]:
        """Keys of the selected rows."""
        keys = self.keys
        return [keys[line] for line in sorted({index.row() for index in self.selectedIndexes()})]

    def _cell(self, line: int, number: int) -> QTableWidgetItem:
        item = self.item(line, number)
        assert item is not None, "every cell of a row has an item"
        return item

    def changeEvent(self, event: QEvent | None) -> None:  # noqa: N802 - Qt's name
        """Follow napari's letters when their size changes."""
        super().changeEvent(event)
        down = self.verticalHeader()
        if event is not None and event.type() == QEvent.Type.FontChange and down is not None and self.rowCount():
            down.setDefaultSectionSize(by_letters(_ROW_HEIGHT))
            self._fit_columns()

    def _fit_columns(self) -> None:
        """Make columns as wide as their text; Qt's own way adds the theme's padding, for which there is no room."""
        font = self.font()
        font.setBold(True)
        metrics = QFontMetrics(font)
        for number, column in enumerate(self._columns):
            texts = [column.heading, *(self._cell(line, number).text() for line in range(self.rowCount()))]
            self.setColumnWidth(number, max(metrics.horizontalAdvance(text) for text in texts) + _PADDING)

    def _best(self, number: int, rows: Sequence[TableRow]) -> float | None:
        """Find the best value of a column; there is none among fewer than two."""
        better = self._columns[number].better
        values = [row.values[number] for row in rows]
        known = [value for value in values if isinstance(value, int | float) and not math.isnan(value)]
        if not better or len(known) < 2:
            return None
        return max(known) if better > 0 else min(known)


def _item(column: Column, value: Value) -> SortedItem:
    nothing = value is None or (isinstance(value, float) and math.isnan(value))
    text = _NOTHING if nothing else value if isinstance(value, str) else column.pattern.format(value)
    item = SortedItem(text)
    item.setData(_VALUE, None if nothing else value)
    if not isinstance(value, str) or column.better:
        item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return item


def _last_if_nothing(value: object) -> float:
    return float(value) if isinstance(value, int | float) else math.inf
