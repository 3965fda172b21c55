"""The table of a comparison: sortable by every column, with the best of each in bold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qtpy.QtCore import Qt
from qtpy.QtGui import QFontMetrics
from qtpy.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem

from napari_pogmdm.gui.docks.compare.queue import Row, State, status_text

_VALUE = Qt.ItemDataRole.UserRole
_NOTHING = "–"
_LOWEST = 60
_PADDING = 10


@dataclass(frozen=True)
class Column:
    """A heading, what it means, how its numbers are written, and which are better: 1 high, -1 low, 0 neither."""

    heading: str
    tip: str
    pattern: str = "{}"
    better: int = 0


METHOD_COLUMNS = (
    Column("Method", "What reconstructed the measurement"),
    Column("PSNR / dB", "Peak signal-to-noise ratio against the fully sampled image; higher is better", "{:.2f}", 1),
    Column("SSIM", "Structural similarity, 7 × 7 window, up to 1; higher is better", "{:.3f}", 1),
    Column("NMSE", "Squared error over the squared reference, down to 0; lower is better", "{:.4f}", -1),
    Column("Seconds", "That the method took on this machine; before that, where it stands", "{:.1f}", -1),
    Column("Parameters", "Learned numbers; a classical method has none", "{:,}"),
)


class SortedItem(QTableWidgetItem):
    """A cell that sorts by its value, not by its text; cells without a value come last."""

    def __lt__(self, other: Any) -> bool:
        mine, theirs = self.data(_VALUE), other.data(_VALUE)
        if isinstance(mine, str) and isinstance(theirs, str):
            return mine < theirs
        return bool(_last_if_nothing(mine) < _last_if_nothing(theirs))


class FigureTable(QTableWidget):
    """Rows of figures under columns that explain themselves."""

    def __init__(self, columns: Sequence[Column], name: str) -> None:
        super().__init__(0, len(columns))
        self._columns = tuple(columns)
        self.setAccessibleName(name)
        self.setHorizontalHeaderLabels([column.heading for column in columns])
        for number, column in enumerate(columns):
            self.horizontalHeaderItem(number).setToolTip(column.tip)
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setMinimumSectionSize(30)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(22)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setMinimumHeight(_LOWEST)

    def show_rows(self, rows: Sequence[tuple[str, Sequence[Any], str]]) -> None:
        """Fill in (key, values, tip) a row; selection and order are kept."""
        chosen = self.chosen
        self.setSortingEnabled(False)
        self.setRowCount(len(rows))
        best = [self._best(number, rows) for number in range(len(self._columns))]
        for line, (key, values, tip) in enumerate(rows):
            for number, value in enumerate(values):
                item = self._item(self._columns[number], value)
                item.setData(_VALUE + 1, key)
                item.setToolTip(tip)
                font = item.font()
                font.setBold(best[number] is not None and value == best[number])
                item.setFont(font)
                self.setItem(line, number, item)
        self.setSortingEnabled(True)
        self._fit_columns()
        self.clearSelection()
        for line in range(self.rowCount()):
            if self.item(line, 0).data(_VALUE + 1) in chosen:
                for number in range(self.columnCount()):
                    self.item(line, number).setSelected(True)

    @property
    def keys(self) -> list[str]:
        """Keys of the rows from top to bottom, as sorted now."""
        return [str(self.item(line, 0).data(_VALUE + 1)) for line in range(self.rowCount())]

    @property
    def chosen(self) -> list[str]:
        """Keys of the selected rows."""
        lines = sorted({index.row() for index in self.selectedIndexes()})
        return [str(self.item(line, 0).data(_VALUE + 1)) for line in lines]

    def _fit_columns(self) -> None:
        """Make columns as wide as their text; Qt's own way adds the theme's padding, for which there is no room."""
        font = self.font()
        font.setBold(True)
        metrics = QFontMetrics(font)
        for number, column in enumerate(self._columns):
            texts = [column.heading, *(self.item(line, number).text() for line in range(self.rowCount()))]
            self.setColumnWidth(number, max(metrics.horizontalAdvance(text) for text in texts) + _PADDING)

    def _item(self, column: Column, value: Any) -> SortedItem:
        nothing = value is None or (isinstance(value, float) and math.isnan(value))
        worded = isinstance(value, str)
        item = SortedItem(_NOTHING if nothing else value if worded else column.pattern.format(value))
        item.setData(_VALUE, None if nothing else value)
        if not worded or column.better:
            item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return item

    def _best(self, number: int, rows: Sequence[tuple[str, Sequence[Any], str]]) -> Any:
        """Find the best value of a column; there is none among fewer than two."""
        better = self._columns[number].better
        values = [values[number] for _, values, _ in rows if isinstance(values[number], int | float)]
        known = [value for value in values if not math.isnan(value)]
        if not better or len(known) < 2:
            return None
        return max(known) if better > 0 else min(known)


def method_values(row: Row) -> tuple[str, tuple[Any, ...], str]:
    """Lay a row of a comparison out under `METHOD_COLUMNS`."""
    outcome = row.outcome
    scores = None if outcome is None else outcome.metrics
    figures = (None, None, None) if scores is None else (scores.psnr, scores.ssim, scores.nmse)
    seconds = outcome.seconds if outcome is not None and row.state is State.DONE else status_text(row)
    tip = row.reason if row.state is State.FAILED else ""
    values = (row.contender.label, *figures, seconds, row.contender.parameters or None)
    return row.contender.label, values, tip


def _last_if_nothing(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.inf
