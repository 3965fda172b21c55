"""A widget that paints one small picture for each filter, in pages, and lets one be chosen by mouse or keyboard."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from napari.utils.theme import get_theme
from numpy.typing import NDArray
from qtpy.QtCore import QBuffer, QEvent, QRectF, QSize, Qt, Signal
from qtpy.QtGui import (
    QColor,
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from qtpy.QtSvg import QSvgGenerator
from qtpy.QtWidgets import QSizePolicy, QToolTip, QWidget

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import write_file
from napari_pogmdm.gui.docks.inspector.pages.cell_grid import Cells, arrange
from napari_pogmdm.gui.widgets.plots import save_picture

if TYPE_CHECKING:
    from napari.viewer import Viewer

# rows and columns that the arrow keys go
_STEPS: dict[int, tuple[int, int]] = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


_LETTERS = 10  # pixels of a letter
_CAPTION = 15.0  # pixels of the line above the cells


class CellPanel(QWidget):
    """Paints cells; subclasses say what is in them.

    Parameters
    ----------
    viewer
        Whose theme the colours are taken of.
    accessible_name
        For screen readers.

    Attributes
    ----------
    chosen
        Signal with the number of the filter that was clicked, or entered with Return.
    paged
        Signal when another page, or another number of pages, is shown.
    smallest, aspect
        Size at which a cell can still be read, and the shape it should have.
    margins
        Left and bottom, where axes are written.
    """

    chosen = Signal(int)
    paged = Signal()
    smallest = (80.0, 60.0)  # pixels
    aspect = 1.4  # width over height
    margins = (0.0, 0.0)  # pixels

    def __init__(self, viewer: Viewer, accessible_name: str) -> None:
        super().__init__()
        self._viewer = viewer
        self.total = 0
        self.selected: int | None = None
        self.off: NDArray[np.bool_] = np.zeros(0, dtype=bool)
        self.caption = ""
        self._colours: dict[str, str] = {}
        self._page = 0
        self._arranged: tuple[int, int] = (0, 0)
        self.setAccessibleName(accessible_name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 70)
        viewer.events.theme.connect(self._themed)  # napari keeps only a weak reference to a bound method

    def sizeHint(self) -> QSize:  # noqa: N802
        """Prefer a low, wide strip."""
        return QSize(500, 140)

    @property
    def cells(self) -> Cells:
        """Where the cells of the shown page lie."""
        width = max(1.0, self.width() - self.margins[0])
        height = max(1.0, self.height() - self.margins[1] - self._top)
        return arrange(max(1, self.total), width, height, self.smallest, self.aspect, self._page)

    @property
    def _top(self) -> float:
        return _CAPTION if self.caption else 0.0

    def turn_to(self, page: int) -> None:
        """Show another page."""
        self._page = max(0, min(page, self.cells.pages - 1))
        self._redraw()

    def select(self, number: int | None) -> None:
        """Mark a filter as chosen, and show its page."""
        self.selected = number
        if number is not None and self.total:
            per_page = max(1, -(-self.total // self.cells.pages))
            self._page = number // per_page
        self._redraw()

    def mark_off(self, off: NDArray[np.bool_]) -> None:
        """Grey out the filters that are switched off."""
        self.off = off
        self.update()

    def colour(self, name: str) -> QColor:
        """Take a colour of the viewer's theme: text, background, foreground, primary, secondary, highlight, ..."""
        if name not in self._colours:  # asking napari costs as much as drawing a curve
            self._colours[name] = getattr(get_theme(self._viewer.theme), name).as_hex()
        return QColor(self._colours[name])

    @abstractmethod
    def paint_cell(self, painter: QPainter, box: QRectF, number: int) -> None:
        """Paint one cell."""

    def paint_axes(self, painter: QPainter, cells: Cells) -> None:
        """Paint what all cells share."""

    def describe(self, number: int) -> str:
        """Say about a filter what its tooltip shows."""
        return f"filter {number + 1}"

    def paint(self, painter: QPainter, size: QSize) -> None:
        """Paint everything onto a screen, a picture or a drawing."""
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), self.colour("background"))
        if not self.total:
            return
        small = QFont(painter.font())
        small.setPixelSize(_LETTERS)
        painter.setFont(small)
        if self.caption:
            painter.setPen(self.colour("text"))
            painter.drawText(QRectF(4, 0, size.width() - 8, self._top), Qt.AlignmentFlag.AlignLeft, self.caption)
        cells = self.cells
        painter.translate(self.margins[0], self._top)
        for number in cells.numbers:
            left, top = cells.corner(number)
            box = QRectF(left + 1.5, top + 1.5, cells.width - 3, cells.height - 3)
            self._paint_frame(painter, box, number)
            self.paint_cell(painter, box.adjusted(1, 1, -1, -1), number)
        self.paint_axes(painter, cells)

    def is_off(self, number: int) -> bool:
        """Whether a filter is marked as switched off."""
        return bool(number < len(self.off) and self.off[number])

    def save(self, path: Path) -> None:
        """Save the shown page as PNG or SVG; subclasses add CSV."""
        kind = path.suffix.lower()
        if kind == ".png":
            save_picture(self, path)
        elif kind == ".svg":
            content, drawing = QBuffer(), QSvgGenerator()
            drawing.setOutputDevice(content)
            drawing.setSize(self.size())
            drawing.setViewBox(QRectF(0, 0, self.width(), self.height()))
            drawing.setTitle(self.accessibleName())
            painter = QPainter(drawing)
            self.paint(painter, self.size())
            painter.end()
            write_file(path, content.data().data())
        else:
            raise InputError(f"{path.name}: plots are saved as .png, .svg or .csv; choose one of these endings.")

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        """Paint on the screen."""
        painter = QPainter(self)
        self.paint(painter, self.size())
        painter.end()

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802
        """Keep the chosen filter in sight when the number of pages changes."""
        super().resizeEvent(event)
        self._page = min(self._page, self.cells.pages - 1)
        self._tell_pages()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        """Choose a filter."""
        if event is None:
            return
        point = event.position()
        number = self.cells.at(point.x() - self.margins[0], point.y() - self._top) if self.total else None
        if number is not None:
            self.select(number)
            self.chosen.emit(number)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        """Walk with the arrows, choose with Return, turn pages."""
        key = None if event is None else event.key()
        if not self.total or key is None:
            super().keyPressEvent(event)
        elif key in _STEPS:
            down, right = _STEPS[key]
            here = -1 if self.selected is None else self.selected
            there = here + down * self.cells.columns + right
            self.select(max(0, min(self.total - 1, there)))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.selected is not None:
            self.chosen.emit(self.selected)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.turn_to(self.cells.page + (1 if key == Qt.Key.Key_PageDown else -1))
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent | None) -> bool:
        """Answer the mouse that rests on a cell."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            point = event.pos()
            number = self.cells.at(point.x() - self.margins[0], point.y() - self._top) if self.total else None
            if number is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), self.describe(number), self)
            return True
        return bool(super().event(event))

    def _paint_frame(self, painter: QPainter, box: QRectF, number: int) -> None:
        chosen = number == self.selected
        painter.setPen(QPen(self.colour("warning" if chosen else "primary"), 2 if chosen else 1))
        painter.setBrush(self.colour("foreground") if self.is_off(number) else Qt.BrushStyle.NoBrush)
        painter.drawRect(box)

    def _redraw(self) -> None:
        self.update()
        self._tell_pages()

    def _tell_pages(self) -> None:
        cells = self.cells
        if (cells.page, cells.pages) != self._arranged:
            self._arranged = (cells.page, cells.pages)
            self.paged.emit()

    def _themed(self) -> None:
        self._colours.clear()
        self.update()
