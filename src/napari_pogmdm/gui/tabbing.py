"""Docks that are opened again return to their tabs, and take no room from the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qtpy.QtCore import QChildEvent, QEvent, QObject, QTimer
from qtpy.QtWidgets import QDockWidget, QMainWindow


class KeptTogether(QObject):
    """Watches a window for docks that come anew, and puts each with the others of its group.

    Parameters
    ----------
    window
        To watch; this ends with it.
    groups
        Names of docks that share a place.
    find
        Gives the dock of a name, where there is one.
    """

    def __init__(
        self, window: QMainWindow, groups: Sequence[Sequence[str]], find: Callable[[str], QDockWidget | None]
    ) -> None:
        super().__init__(window)
        self._window = window
        self._groups = groups
        self._find = find
        self._known: dict[str, QDockWidget] = {}
        self._look(place=False)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 - Qt's name
        """Look at docks that come once they are whole."""
        if isinstance(event, QChildEvent) and event.added() and isinstance(event.child(), QDockWidget):
            QTimer.singleShot(0, self._look)
        return False

    def _look(self, *, place: bool = True) -> None:
        for group in self._groups:
            for name in group:
                dock = self._find(name)
                if dock is not None and place and self._known.get(name) is not dock:
                    self._place(dock, [other for other in map(self._find, group) if other is not None])
                if dock is not None:
                    self._known[name] = dock

    def _place(self, dock: QDockWidget, group: Sequence[QDockWidget]) -> None:
        beside = [other for other in group if other is not dock and not other.isFloating() and not other.isHidden()]
        if not beside or dock.isFloating() or set(beside) & set(self._window.tabifiedDockWidgets(dock)):
            return
        self._window.addDockWidget(self._window.dockWidgetArea(beside[0]), dock)
        self._window.tabifyDockWidget(beside[-1], dock)
        dock.show()
        dock.raise_()
