"""Follows the mouse over the image, seldom enough to cost nothing, and remembers a clicked pixel."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from qtpy.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from napari.utils.events import Event
    from napari.viewer import Viewer

_MILLISECONDS = 40  # between two positions, 25 a second: as smooth as the eye wants it


class PixelFollower(QObject):
    """Tells where the mouse is.

    Parameters
    ----------
    viewer
        Whose mouse is followed.
    parent
        With which this ends.

    Attributes
    ----------
    moved
        Signal when there is a new `position`, at most every 40 ms.
    position
        World coordinates to look at: the clicked ones, or else those under the mouse; ``None`` before any.
    kept
        Whether a click holds the position; a click at nearly the same place lets it go.
    near
        Distance within which places count as nearly the same: a pixel.
    """

    moved = Signal()

    def __init__(self, viewer: Viewer, parent: QObject) -> None:
        super().__init__(parent)
        self._viewer = viewer
        self.position: tuple[float, ...] | None = None
        self.kept = False
        self.near = 1.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_MILLISECONDS)
        self._timer.timeout.connect(self.moved)
        viewer.mouse_move_callbacks.append(self._hovered)
        viewer.mouse_drag_callbacks.append(self._pressed)

    def close(self) -> None:
        """Stop listening."""
        with suppress(ValueError):
            self._viewer.mouse_move_callbacks.remove(self._hovered)
        with suppress(ValueError):
            self._viewer.mouse_drag_callbacks.remove(self._pressed)

    def release(self) -> None:
        """Follow the mouse again."""
        self.kept = False
        self._tell_soon()

    def _hovered(self, viewer: Viewer, event: Event) -> None:
        if not self.kept:
            self.position = tuple(event.position)
            self._tell_soon()

    def _pressed(self, viewer: Viewer, event: Event) -> Iterator[None]:
        """Tell clicks from drags: only a click keeps a place."""
        dragged = False
        yield
        while event.type == "mouse_move":
            dragged = True
            yield
        active = self._viewer.layers.selection.active
        if dragged or event.modifiers or event.button != 1 or str(getattr(active, "mode", "pan_zoom")) != "pan_zoom":
            return
        place = tuple(event.position)
        same = self.kept and self.position is not None and len(self.position) == len(place)
        if same and all(abs(a - b) <= self.near for a, b in zip(self.position or (), place, strict=True)):
            self.release()
            return
        self.position, self.kept = place, True
        self._tell_soon()

    def _tell_soon(self) -> None:
        if not self._timer.isActive():
            self._timer.start()
