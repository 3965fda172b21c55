"""Keeps the plots at the bottom small until there is something to plot."""

from __future__ import annotations

from collections.abc import Callable

from qtpy.QtCore import QObject, Qt, QTimer
from qtpy.QtWidgets import QDockWidget, QMainWindow

from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.widgets.plots import by_letters

_FOLDED_HEIGHT = 64  # pixels: the tabs, and one line that says what will be here


class FoldedBottom(QObject):
    """Keeps the docks at the bottom low while the one in front has nothing to show, and lets them grow once it has.

    Parameters
    ----------
    window
        Where they stand.
    docks
        Gives those of the bottom that are open, the one with the curves first.
    session
        Has the numbers that are drawn.
    height
        Gives pixels for docks with something to show.
    """

    def __init__(
        self, window: QMainWindow, docks: Callable[[], list[QDockWidget]], session: Session, height: Callable[[], int]
    ) -> None:
        super().__init__(window)
        self._window = window
        self._docks = docks
        self._session = session
        self._height = height
        self.folded: bool | None = None
        self._held = False
        self._front: QDockWidget | None = None
        session.events.trace.connect(self._follow)
        for dock in docks():
            dock.visibilityChanged.connect(self._front_changed)
        self._follow()

    def hold(self, low: bool) -> None:
        """Hide the docks, because something else needs the room, or show them again."""
        if low == self._held:
            return
        self._held = low
        if low:
            self._front = next((dock for dock in self._docks() if not dock.visibleRegion().isEmpty()), None)
        for dock in self._docks():
            dock.setVisible(not low)
        if self._front is not None and self._front in self._docks():
            self._front.raise_()

    def _front_changed(self, visible: bool) -> None:
        if visible:
            QTimer.singleShot(0, self._follow)  # when Qt has brought it to the front

    def _follow(self) -> None:
        docks = self._docks()
        if not docks:
            return
        curves = docks[0]
        empty = not self._session.trace and not curves.visibleRegion().isEmpty()
        if self.folded is None:
            empty = not self._session.trace
        if empty == self.folded:
            return
        self.folded = empty
        heights = [by_letters(_FOLDED_HEIGHT) if empty else self._height()] * len(docks)
        self._window.resizeDocks(docks, heights, Qt.Orientation.Vertical)
