"""What mouse and keys do on the canvas: values of all panels, window and level, flicker, difference, next slice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from napari_pogmdm.gui.core.canvas import Canvas
from napari_pogmdm.gui.core.canvas_frame import CanvasFrame
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.style import LayerStyle
from napari_pogmdm.gui.layers.view import Arrangement
from napari_pogmdm.gui.widgets.borrowed_keys import BorrowedKeys

if TYPE_CHECKING:
    from napari.layers import Image, Layer
    from napari.utils.events import Event
    from napari.viewer import Viewer

DIFFERENCE = "difference"
"""Role of the difference of two panels."""

_DIFFERENCE_SHARE = 0.1  # of white at both ends of the scale of a difference
_FULL_DRAG = 300.0  # pixels of the mouse that double the window, or move the level by as much


class CanvasHands:
    """Listens to mouse and keys.

    Parameters
    ----------
    viewer
        Whose canvas it is.
    canvas, frame
        What is seen, and what is written upon it.
    book
        Knows the layers.
    """

    def __init__(self, viewer: Viewer, canvas: Canvas, frame: CanvasFrame, book: LayerBook) -> None:
        self._viewer = viewer
        self._canvas = canvas
        self._frame = frame
        self._book = book
        self._keys = BorrowedKeys(viewer, {"F": self.flicker, "D": self.subtract})
        self._position: tuple[float, ...] = ()
        self._displayed: list[int] = []
        frame.read = self._read
        viewer.events.mouse_over_canvas.connect(frame.refresh_soon)
        viewer.mouse_move_callbacks.append(self._hovered)
        viewer.mouse_drag_callbacks.append(self._window_and_level)
        frame.bar.flicker.clicked.connect(lambda: self.flicker())
        frame.bar.difference.clicked.connect(lambda: self.subtract())
        canvas.arranged.connect(self._renew_difference)

    def close(self) -> None:
        """Stop listening."""
        self._keys.give_back()
        for callbacks, slot in (
            (self._viewer.mouse_move_callbacks, self._hovered),
            (self._viewer.mouse_drag_callbacks, self._window_and_level),
        ):
            with suppress(ValueError):
                callbacks.remove(slot)

    def flicker(self) -> None:
        """Show the next panel of the view alone, in the place of the one before: what differs jumps to the eye."""
        view = self._canvas.view
        if len(view.chosen) < 2:
            return
        here = view.chosen.index(view.front) if view.front in view.chosen else -1
        view.front = view.chosen[(here + 1) % len(view.chosen)]
        self._canvas.arrange_as(Arrangement.ONE)

    def subtract(self) -> None:
        """Add the difference of the view's first two images to it, or take it away."""
        view = self._canvas.view
        if DIFFERENCE in view.chosen:
            self._canvas.choose(view.name, DIFFERENCE, on=False)
            return
        if self._pair() is None:
            return
        limit = _DIFFERENCE_SHARE * self._book.geometry.white
        self._book.add_style(DIFFERENCE, LayerStyle(DIFFERENCE, "RdBu_r", (-limit, limit), unit="%"))
        self._book.welcome_back(DIFFERENCE)
        view.chosen.append(DIFFERENCE)
        self._renew_difference()
        self._canvas.arrange_as(Arrangement.GRID)

    def _pair(self) -> tuple[Image, Image] | None:
        """Find the first two flat images of the view that have one size."""
        roles = [panel for panel in self._canvas.view.chosen if isinstance(panel, str) and panel != DIFFERENCE]
        flat = [layer for layer in self._book.layers(roles) if layer.ndim == 2 and layer.colormap.name == "gray"]
        return (flat[0], flat[1]) if len(flat) > 1 and flat[0].data.shape == flat[1].data.shape else None

    def _renew_difference(self) -> None:
        """Follow what is subtracted while a run goes on."""
        pair = self._pair() if DIFFERENCE in self._canvas.view.chosen else None
        if pair is None:
            return
        data = np.asarray(pair[0].data) - np.asarray(pair[1].data)
        old = self._book.get(DIFFERENCE)
        if old is None or old.data.shape != data.shape or not np.array_equal(old.data, data):
            self._book.state(DIFFERENCE, " - ".join(layer.name for layer in pair))
            self._book.show(DIFFERENCE, data)

    def _hovered(self, viewer: Viewer, event: Event) -> None:
        """Have the value of every panel under the mouse written."""
        self._position, self._displayed = tuple(event.position), list(event.dims_displayed)
        self._frame.refresh_soon()

    def _read(self, layer: Layer) -> float | None:
        """Read a panel where the mouse is."""
        if not self._viewer.mouse_over_canvas or len(self._position) < layer.ndim:
            return None
        where, shown = self._position, self._displayed
        value = layer.get_value(where, view_direction=None, dims_displayed=shown, world=True)
        return float(value) if isinstance(value, float | np.floating) else None

    def _window_and_level(self, viewer: Viewer, event: Event) -> Iterator[None]:
        """Ctrl and the mouse: to the right for more window, upwards for a lower level, as on a scanner's console."""
        layer = self._below(tuple(event.pos)) if "Control" in event.modifiers and event.button == 1 else None
        if layer is None:
            return
        start, (low, high) = np.asarray(event.pos, dtype=float), (float(limit) for limit in layer.contrast_limits)
        window, level = high - low, (high + low) / 2
        yield
        while event.type == "mouse_move":
            right, down = (np.asarray(event.pos, dtype=float) - start) / _FULL_DRAG
            wide, middle = window * 2.0**right, level + window * down
            layer.contrast_limits = (middle - wide / 2, middle + wide / 2)
            yield

    def _below(self, place: tuple[float, ...]) -> Layer | None:
        """Find the panel at a place of the canvas."""
        x, y = place[:2]
        for cell in self._canvas.cells():
            if cell.left <= x < cell.left + cell.width and cell.top <= y < cell.top + cell.height:
                return cell.layer if hasattr(cell.layer, "contrast_limits") else None
        return None
