"""A frame around a widget, drawn above the window, that marks what a lesson is about."""

from __future__ import annotations

from qtpy.QtCore import QPoint, QRect, Qt, QTimer
from qtpy.QtGui import QColor, QPainter, QPaintEvent, QPen
from qtpy.QtWidgets import QScrollArea, QWidget

_COLOUR = QColor(255, 165, 0)  # orange, which neither theme uses
_WIDTH = 3  # pixels, seen from the last row of a lecture
_MARGIN = 3  # pixels around the target, so that the line covers nothing of it
_INSIDE = (1, 1, -2, -2)  # pixels from the edges, so that the line is not cut off by half
_RADIUS = 5  # pixels, like the corners of napari's own buttons
_FOLLOWING_MILLISECONDS = 100  # between two looks at where the target is; a dock that is dragged is followed closely


class Highlight(QWidget):
    """Follows its target until it is given another; never takes clicks or the focus.

    Parameters
    ----------
    window
        Above which it is drawn.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tour_highlight")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._target: QWidget | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._follow)
        self.hide()

    @property
    def target(self) -> QWidget | None:
        """What is pointed at."""
        return self._target

    def point_at(self, target: QWidget | None) -> None:
        """Point at a widget, or at nothing; it is scrolled into view."""
        self._target = target
        if target is None:
            self._timer.stop()
            self.hide()
            return
        target.destroyed.connect(self._lost)
        area = _scroll_area(target)
        if area is not None:
            area.ensureWidgetVisible(target)
        self._timer.start(_FOLLOWING_MILLISECONDS)
        self._follow()

    def _lost(self, *_: object) -> None:
        self._target = None
        self._timer.stop()
        self.hide()

    def _follow(self) -> None:
        target = self._target
        if target is None or not target.isVisible() or target.visibleRegion().isEmpty():
            self.hide()
            return
        seen = target.visibleRegion().boundingRect()
        corner = target.mapTo(self.window(), QPoint(0, 0)) if target.window() is self.window() else None
        if corner is None:
            self.hide()
            return
        place = QRect(corner + seen.topLeft(), seen.size()).adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)
        if place != self.geometry():
            self.setGeometry(place)
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 - Qt's name
        """Draw the frame."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(_COLOUR, _WIDTH))
        painter.drawRoundedRect(self.rect().adjusted(*_INSIDE), _RADIUS, _RADIUS)


def _scroll_area(widget: QWidget) -> QScrollArea | None:
    above = widget.parentWidget()
    while above is not None and not isinstance(above, QScrollArea):
        above = above.parentWidget()
    return above
