"""Presenter mode: the pictures and the Tour, large, and nothing else; one key turns it on and off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qtpy.QtCore import QObject, Qt, Signal
from qtpy.QtGui import QKeySequence, QShortcut
from qtpy.QtWidgets import QDockWidget, QMainWindow

if TYPE_CHECKING:
    from napari.viewer import Viewer

KEY = "F5"
"""Begins and ends it, as in programs for slides."""
FIGURE_DOCK = "pogmdm lesson figure"
"""Name of the dock in which a lesson's figure stands beside the pictures; it stays."""
_NAME = "pogmdm presenter"  # by which a window's presenter is found again
_STRIP = 0.3  # of the window's height, for the Tour
_BESIDE = 0.55  # of its width, for a dock that a lesson speaks of
_LOWER = (Qt.Corner.BottomLeftCorner, Qt.Corner.BottomRightCorner)
_PICTURES = ("Inspector", "Compare")  # docks that a lesson may still show, as they are what it speaks of


class Presenter(QObject):
    """Hides everything but canvas, figure and Tour, and brings it back.

    Parameters
    ----------
    viewer
        In whose window.
    tour
        The dock with the lessons.
    """

    changed = Signal(bool)

    def __init__(self, viewer: Viewer, tour: QDockWidget) -> None:
        window: QMainWindow = viewer.window._qt_window
        super().__init__(window)
        self.setObjectName(_NAME)
        self._window = window
        self._tour = tour
        self._state = window.saveState()
        self._bars: list[bool] = []
        self._corners: dict[Qt.Corner, Qt.DockWidgetArea] = {}
        self.on = False
        key = QShortcut(QKeySequence(KEY), window)
        key.activated.connect(self.toggle)

    @staticmethod
    def of(viewer: Viewer) -> Presenter | None:
        """Give the presenter of a viewer, if its window has one."""
        found = viewer.window._qt_window.findChild(QObject, _NAME, Qt.FindChildOption.FindDirectChildrenOnly)
        return found if isinstance(found, Presenter) else None

    def toggle(self) -> None:
        """Begin or end."""
        if self.on:
            self._end()
        else:
            self._begin()
        self.changed.emit(self.on)

    def allows(self, dock: str) -> bool:
        """Whether a dock may be shown now."""
        return not self.on or dock in _PICTURES

    def place(self, dock: QDockWidget) -> None:
        """Let a dock that a lesson speaks of stand beside the pictures; below them, the Tour leaves it no room."""
        if self.on:
            self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
            width = round(_BESIDE * self._window.width())
            self._window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)

    def tidy(self) -> None:
        """Hide what the step before has shown."""
        if self.on:
            self._hide_others()

    def _begin(self) -> None:
        window = self._window
        self.on = True
        self._state = window.saveState()
        edges = [bar for bar in (window.menuBar(), window.statusBar()) if bar is not None]
        self._bars = [bar.isVisible() for bar in edges]
        for bar in edges:
            bar.hide()
        self._hide_others()
        self._corners = {corner: window.corner(corner) for corner in _LOWER}
        for corner in _LOWER:
            window.setCorner(corner, Qt.DockWidgetArea.BottomDockWidgetArea)  # the strip reaches from edge to edge
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self._tour)
        self._tour.show()
        window.resizeDocks([self._tour], [round(_STRIP * window.height())], Qt.Orientation.Vertical)

    def _end(self) -> None:
        window = self._window
        self.on = False
        for corner, area in self._corners.items():
            window.setCorner(corner, area)
        window.restoreState(self._state)
        edges = [bar for bar in (window.menuBar(), window.statusBar()) if bar is not None]
        for bar, seen in zip(edges, self._bars, strict=False):
            bar.setVisible(seen)
        self._tour.show()
        self._tour.raise_()

    def _hide_others(self) -> None:
        for dock in self._window.findChildren(QDockWidget):
            if dock is not self._tour and dock.objectName() != FIGURE_DOCK:
                dock.hide()
