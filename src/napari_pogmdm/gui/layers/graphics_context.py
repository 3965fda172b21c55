"""Layers are deleted in the graphics context that they were drawn in."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from napari.viewer import Viewer


def delete_where_drawn(viewer: Viewer) -> None:
    """Make the canvas's context the current one whenever a layer is about to be removed.

    napari deletes the textures and buffers of a layer at once, in whichever context was used last. Outside of painting
    that is the one in which Qt puts the window together, and the next picture may then end the process.
    """

    def hold(event: object) -> None:
        with suppress(AttributeError, RuntimeError):  # a window without a canvas, or one that is being closed
            viewer.window._qt_viewer.canvas._scene_canvas.set_current()

    viewer.layers.events.removing.connect(hold)
