"""Titles and colour bars over the pictures of a canvas, in the letters of the window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from napari.settings import get_settings
from numpy.typing import NDArray
from qtpy.QtCore import QEvent, QObject, QPointF, QRect, QRectF, Qt
from qtpy.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPaintEvent, QPen, QPolygonF
from qtpy.QtWidgets import QWidget

_EDGE = 5  # pixels between a title and the edge of its cell
_PADDING = (5, 2)  # pixels between letters and the edge of their box
_BACKGROUND, _INK = QColor(0, 0, 0, 165), QColor(240, 240, 240)
_HEEDED, _HEEDED_INK = QColor(255, 180, 84), QColor(20, 20, 20)
_BAR_WIDTH = 10  # pixels
_BAR_SHARE = 0.38  # of a cell's height
_SHORTEST_BAR, _LONGEST_BAR = 24, 90  # pixels of one that lies; shorter ones show no steps, longer ones no more
_SMALLEST_CELL = 90  # pixels of height; below, a bar would hide the picture
_NARROWEST = 40  # pixels of width; below, a title would be a dot
_SPARE = 0.92  # of the room: letters are whole pixels wide, so that smaller ones shrink less than their size
_SMALLEST_FONT = 0.72  # of the window's; smaller letters cannot be read
_ONE_LINE = 0.85  # of the window's letters; where a title would need smaller ones, it has two lines
_BREAKS = (": ", ", ", " of ")  # where a title is best broken, the best first
_TITLE_WIDTH = 0.98  # of the cell
_MARK, _MARK_ARM = QColor("#e8486f"), 7  # as a kept pixel is marked on plots; pixels from its middle


@dataclass(frozen=True, eq=False)
class ColourBar:
    """What colours mean.

    Attributes
    ----------
    colours
        (n, 4) of 8 bits, from low to high.
    low, high
        Numbers at both ends, as text; the unit stands after the upper one.
    """

    colours: NDArray[np.uint8]
    low: str
    high: str


@dataclass(frozen=True, eq=False)
class PanelLabel:
    """What is written over one panel.

    Attributes
    ----------
    left, top, width, height
        Of its cell, in pixels.
    title
        What it shows.
    remark
        What is to be heeded, such as "earlier mask"; empty for nothing.
    bar
        What its colours mean; ``None`` for grey.
    mark
        Where a cross stands, in pixels; ``None`` for none.
    value
        Of the pixel under the mouse; empty while the mouse is elsewhere.
    edged
        Whether a line marks where it ends at the right.
    lines
        To draw, each through some places in pixels.
    corner
        Right and bottom end of the picture, in pixels; beyond it, its cell is empty.
    """

    left: float
    top: float
    width: float
    height: float
    title: str
    remark: str = ""
    bar: ColourBar | None = None
    mark: tuple[float, float] | None = None
    value: str = ""
    edged: bool = False
    lines: tuple[tuple[tuple[float, float], ...], ...] = ()
    corner: tuple[float, float] = (math.inf, math.inf)


class PanelOverlay(QWidget):
    """Lies upon a canvas, as large as it, and lets the mouse through.

    Parameters
    ----------
    canvas
        The widget that it lies upon.

    Attributes
    ----------
    labels
        What is written.
    """

    def __init__(self, canvas: QWidget) -> None:
        super().__init__(canvas)
        self.labels: tuple[PanelLabel, ...] = ()
        self.setObjectName("panel_overlay")
        self.follow_letters()
        get_settings().appearance.events.font_size.connect(self.follow_letters)  # napari keeps a weak reference only
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.resize(canvas.size())
        canvas.installEventFilter(self)
        self.show()

    def follow_letters(self) -> None:
        """Take the size of napari's letters."""
        with suppress(RuntimeError):  # the window may have gone, while napari's settings stay
            self.setStyleSheet(f"font-size: {get_settings().appearance.font_size}pt")
            self.update()

    def write(self, labels: Sequence[PanelLabel]) -> None:
        """Write something else."""
        self.labels = tuple(labels)
        self.update()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 - Qt's name
        """Stay as large as the canvas."""
        if event is not None and event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.resize(watched.size())
        return False

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 - Qt's name
        """Paint titles at the top left of every cell, bars at its bottom right."""
        with QPainter(self) as painter:
            share = min((self.share_of(label) for label in self.labels if label.width >= _NARROWEST), default=1.0)
            for label in self.labels:
                if label.edged:
                    right = round(label.left + label.width)
                    painter.setPen(QPen(_HEEDED, 1))
                    painter.drawLine(right, round(label.top), right, round(label.top + label.height))
                if label.width >= _NARROWEST:
                    self._paint_title(painter, label, share)
                if label.bar is not None and label.height >= _SMALLEST_CELL:
                    self._paint_bar(painter, label, label.bar)
                if label.lines:
                    _paint_lines(painter, label)
                if label.mark is not None:
                    _paint_cross(painter, label.mark)
                if label.value:
                    high = self.fontMetrics().height() + 2 * _PADDING[1] + _EDGE
                    bottom = label.top + label.height - high
                    colours = (_BACKGROUND, _INK)
                    self._paint_box(painter, label, bottom, int(label.width), label.value, colours, self.font())

    def _paint_title(self, painter: QPainter, label: PanelLabel, share: float) -> None:
        room, font = _room(label), self._font(share)
        place = label.top + _EDGE
        for line in self.title_lines(label.title, room):
            place = self._paint_box(painter, label, place, room, line, (_BACKGROUND, _INK), font)
        if label.remark:
            self._paint_box(painter, label, place + 2, room, label.remark, (_HEEDED, _HEEDED_INK), font)

    def share_of(self, label: PanelLabel) -> float:
        """Give the size that the letters of a panel's title would need, as a share of the window's."""
        room = _room(label)
        return min(self._share(line, room) for line in self.title_lines(label.title, room))

    def title_lines(self, title: str, room: int) -> list[str]:
        """Give the lines of a title: what it is, and what made it below where hardly smaller letters find no room.

        Facts that would be cut even in the smallest letters have two lines of their own.
        """
        if " " not in title or self._share(title, room) >= _ONE_LINE:
            return [title]
        name, mark, facts = title.partition(next((mark for mark in _BREAKS if mark in title), " "))
        return [*self._halves(name + mark.rstrip(" ,:"), room), *self._halves(facts, room)]

    def _halves(self, text: str, room: int) -> list[str]:
        """Break what cannot be shown in one line after a comma or else a word, into lines that are nearly as long."""
        wide = self.fontMetrics().horizontalAdvance
        if " " not in text or _SMALLEST_FONT * (wide(text) + 2 * _PADDING[0]) <= _SPARE * room:
            return [text]
        mark = ", " if ", " in text else " "
        parts = text.split(mark)
        halves = [(mark.join(parts[:count]), mark.join(parts[count:])) for count in range(1, len(parts))]
        return list(min(halves, key=lambda two: max(map(wide, two))))

    def _paint_box(
        self,
        painter: QPainter,
        label: PanelLabel,
        top: float,
        room: int,
        text: str,
        colours: tuple[QColor, QColor],
        font: QFont,
    ) -> float:
        """Write text in a box, cut where nothing else helps; tell where the box ends."""
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room - 2 * _PADDING[0])
        box = QRectF(
            label.left + _EDGE,
            top,
            metrics.horizontalAdvance(shown) + 2 * _PADDING[0],
            metrics.height() + 2 * _PADDING[1],
        )
        painter.setFont(font)
        painter.fillRect(box, colours[0])
        painter.setPen(colours[1])
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), shown)
        return float(box.bottom())

    def _share(self, text: str, room: int) -> float:
        """Give the size at which text fits, as a share of the window's letters, as far as it can be read."""
        wide = self.fontMetrics().horizontalAdvance(text) + 2 * _PADDING[0]
        return 1.0 if wide <= room else max(_SMALLEST_FONT, _SPARE * room / wide)

    def _font(self, share: float) -> QFont:
        font = QFont(self.font())
        size = font.pointSizeF() if font.pointSizeF() > 0 else float(font.pixelSize())
        if font.pointSizeF() > 0:
            font.setPointSizeF(size * share)
        else:
            font.setPixelSize(max(1, round(size * share)))
        return font

    def _paint_bar(self, painter: QPainter, label: PanelLabel, bar: ColourBar) -> None:
        """Paint a bar beside the picture where there is room for it, else below it, and only else upon it."""
        font = self._font(self._share(bar.high, int(label.width / 3)))
        metrics = QFontMetrics(font)
        low, high = metrics.horizontalAdvance(bar.low), metrics.horizontalAdvance(bar.high)
        line, right, bottom = metrics.height(), int(label.left + label.width) - _EDGE, int(label.top + label.height)
        painter.setFont(font)
        beside = _BAR_WIDTH + max(low, high) + 3 * _PADDING[0]
        if right - label.corner[0] >= beside:
            height = int(label.height * _BAR_SHARE)
            strip = QRect(right - _BAR_WIDTH - _PADDING[0], bottom - _EDGE - height - line // 2, _BAR_WIDTH, height)
            painter.fillRect(QRect(right - beside, strip.top() - line // 2, beside, height + line), _BACKGROUND)
            painter.drawImage(strip, _strip_of(bar.colours[::-1], upright=True))
            words = [(bar.high, strip.top()), (bar.low, strip.bottom())]
            boxes = [
                (text, QRect(right - beside, y - line // 2, max(low, high) + _PADDING[0], line)) for text, y in words
            ]
        else:
            top = int(min(label.corner[1] + _PADDING[1], bottom - line - _PADDING[1]))
            long = max(_SHORTEST_BAR, min(_LONGEST_BAR, int(label.width / 2) - low - high))
            box = QRect(right - long - low - high - 4 * _PADDING[0], top, long + low + high + 4 * _PADDING[0], line)
            painter.fillRect(box, _BACKGROUND)
            strip = QRect(box.left() + low + 2 * _PADDING[0], top + line // 4, long, line // 2)
            painter.drawImage(strip, _strip_of(bar.colours, upright=False))
            boxes = [
                (bar.low, QRect(box.left(), top, low + _PADDING[0], line)),
                (bar.high, QRect(strip.right(), top, high + _PADDING[0], line)),
            ]
        painter.setPen(_INK)
        for text, place in boxes:
            painter.drawText(place, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), text)


def _strip_of(colours: NDArray[np.uint8], *, upright: bool) -> QImage:
    """Make a picture of colours, one pixel each, from top to bottom or from left to right."""
    shape = (1, len(colours)) if upright else (len(colours), 1)
    line = np.ascontiguousarray(colours)
    return QImage(line.tobytes(), *shape, 4 * shape[0], QImage.Format.Format_RGBA8888).copy()


def _room(label: PanelLabel) -> int:
    """Pixels of width for the title of a panel."""
    return int(label.width * _TITLE_WIDTH) - 2 * _EDGE


def _paint_lines(painter: QPainter, label: PanelLabel) -> None:
    """Draw lines as far as they lie in the cell; of several, the second has broken ones."""
    painter.save()
    painter.setClipRect(QRectF(label.left, label.top, label.width, label.height))
    for number, line in enumerate(label.lines):
        style = Qt.PenStyle.DashLine if number else Qt.PenStyle.SolidLine
        painter.setPen(QPen(_HEEDED, 1.5, style))
        painter.drawPolyline(QPolygonF([QPointF(*place) for place in line]))
    painter.restore()


def _paint_cross(painter: QPainter, place: tuple[float, float]) -> None:
    """Mark a place, with a gap in the middle that leaves the pixel itself to be seen."""
    x, y = (round(value) for value in place)
    painter.setPen(QPen(_MARK, 2))
    for near, far in ((2, _MARK_ARM), (-2, -_MARK_ARM)):
        painter.drawLine(x + near, y, x + far, y)
        painter.drawLine(x, y + near, x, y + far)
