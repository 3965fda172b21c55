"""Mouse and keys on the canvas: values of all panels, window and level, and who else listens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import numpy as np

from napari_pogmdm.gui.core.canvas import Canvas
from napari_pogmdm.gui.core.canvas_frame import CanvasFrame
from napari_pogmdm.gui.core.hands.figure import FigureMaker
from napari_pogmdm.gui.core.hands.keys import KEYS
from napari_pogmdm.gui.core.hands.looks import Looks
from napari_pogmdm.gui.core.hands.measure import Measure
from napari_pogmdm.gui.core.hands.pair import Pair
from napari_pogmdm.gui.core.hands.slices import Slices
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.camera import extent_of
from napari_pogmdm.gui.layers.view import Arrangement
from napari_pogmdm.gui.widgets.borrowed_keys import BorrowedKeys
from napari_pogmdm.gui.widgets.figure_dialog import FigureDialog
from napari_pogmdm.gui.widgets.key_card import KeyCard

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.utils.events import Event
    from napari.viewer import Viewer

    from napari_pogmdm.gui.core.loader import Loader
    from napari_pogmdm.gui.core.pins import Pins
    from napari_pogmdm.gui.core.raw_views import RawViews
    from napari_pogmdm.gui.core.session import Session
    from napari_pogmdm.gui.core.session_layers import SessionLayers

_SCALE_LETTERS = 10  # points of the scale bar's text, as high as the titles
_FULL_DRAG = 300.0  # pixels of the mouse that double the window, or move the level by as much


class HandsHost(Protocol):
    """What mouse and keys need of the workbench."""

    viewer: Viewer
    canvas: Canvas
    frame: CanvasFrame
    book: LayerBook
    session: Session
    loader: Loader
    layers: SessionLayers
    views: RawViews
    pins: Pins


class CanvasHands:
    """Listens to mouse and keys.

    Parameters
    ----------
    host
        Has the canvas, its layers and what they show.

    Attributes
    ----------
    pair
        Two pictures held against each other.
    looks
        Parts of complex panels, and all coils at once.
    measure
        Lines and regions over all panels.
    slices
        From slice to slice.
    figure
        Saves what is seen for a paper or a slide.
    card
        Lists the keys.
    """

    def __init__(self, host: HandsHost) -> None:
        viewer, canvas, frame, book = host.viewer, host.canvas, host.frame, host.book
        self._viewer = viewer
        self._canvas = canvas
        self._frame = frame
        self._book = book
        self.pair = Pair(canvas, book)
        self.looks = Looks(canvas, book, host.layers, host.views, host.pins)
        self.slices = Slices(host.session, host.loader)
        self.measure = Measure(viewer, canvas, frame)
        maker = FigureMaker(viewer, canvas, frame, book, host.session)
        self.figure = FigureDialog(viewer.window._qt_window, maker.save)
        self.card = KeyCard(viewer.window._qt_viewer.canvas.native, KEYS)
        self._keys = BorrowedKeys(
            viewer,
            {
                "F": self.pair.flicker,
                "D": self.pair.subtract,
                "W": self.pair.swipe,
                "M": self.looks.next_part,
                "A": self.looks.toggle_mosaic,
                "B": self.toggle_scale_bar,
                "PageUp": self.slices.before,
                "PageDown": self.slices.after,
                "Backspace": self.measure.clear,
                "P": self.figure.show,
                "F1": self.card.toggle,
            },
        )
        self._position: tuple[float, ...] = ()
        self._displayed: list[int] = []
        frame.read, frame.pair = self._read, self.pair
        viewer.events.mouse_over_canvas.connect(frame.refresh_soon)
        self._listening = (
            (viewer.mouse_move_callbacks, self._hovered),
            (viewer.mouse_drag_callbacks, self._window_and_level),
            (viewer.mouse_drag_callbacks, self.measure.drag),
            (viewer.mouse_wheel_callbacks, self.slices.wheel),
        )
        for callbacks, slot in self._listening:
            callbacks.append(slot)
        self._scale_bar_wanted = True
        canvas.arranged.connect(self._show_scale_bar)
        frame.bar.flicker.clicked.connect(lambda: self.pair.flicker())
        frame.bar.difference.clicked.connect(lambda: self.pair.subtract())
        frame.bar.figure.clicked.connect(lambda: self.figure.show())
        frame.bar.swipe.clicked.connect(lambda: self.pair.swipe())

    def close(self) -> None:
        """Stop listening."""
        self._keys.give_back()
        for callbacks, slot in self._listening:
            with suppress(ValueError):
                callbacks.remove(slot)

    def toggle_scale_bar(self) -> None:
        """Show or hide the scale bar, which is there where the scan tells the size of its pixels."""
        self._scale_bar_wanted = not self._scale_bar_wanted
        self._show_scale_bar()

    def _show_scale_bar(self) -> None:
        metric = self._book.geometry.unit == "mm" and self._canvas.view.arrangement is not Arrangement.ROW
        bar = self._viewer.canvas.overlays.scale_bar
        if bar.visible != (metric and self._scale_bar_wanted):
            bar.position, bar.font_size = "bottom_center", _SCALE_LETTERS
            bar.visible = metric and self._scale_bar_wanted

    def _hovered(self, viewer: Viewer, event: Event) -> None:
        """Have the value of every panel under the mouse written."""
        self._position, self._displayed = tuple(event.position), list(event.dims_displayed)
        panels = self._canvas.panels()
        if self._canvas.view.arrangement is Arrangement.SWIPE and panels:
            _, left, _, right = extent_of(panels[:1])
            self.pair.move_border((float(event.position[-1]) - left) / (right - left))
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
        layer = self._below(tuple(event.pos)) if set(event.modifiers) == {"Control"} and event.button == 1 else None
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
