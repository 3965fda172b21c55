"""Keeps the plots at the bottom small until there is something to plot."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from napari.settings import get_settings
from qtpy.QtCore import QEvent, QObject, Qt, QTimer
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
        self._wanted = 0
        window.installEventFilter(self)
        get_settings().appearance.events.font_size.connect(self._grow)  # keeps a weak reference only
        session.events.trace.connect(self._follow)
        for dock in docks():
            dock.visibilityChanged.connect(self._front_changed)
        self._follow()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 - Qt's name
        """Let plots grow with the window."""
        if event is not None and event.type() == QEvent.Type.Resize and watched is self._window:
            QTimer.singleShot(0, self._grow)  # when Qt has shared the new room out
        return False

    def _grow(self) -> None:
        """Give the docks another height where that of the window or of its letters asks for it."""
        with suppress(RuntimeError):  # the window may be gone, while napari's settings stay
            wanted = self._height()
            if self.folded is False and not self._held and wanted != self._wanted:
                self._wanted = wanted
                self._window.resizeDocks(self._docks(), [wanted] * len(self._docks()), Qt.Orientation.Vertical)

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
        self._wanted = self._height()
        heights = [by_letters(_FOLDED_HEIGHT) if empty else self._wanted] * len(docks)
        self._window.resizeDocks(docks, heights, Qt.Orientation.Vertical)
