"""The bar of views above the canvas, and the titles and colour bars on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from qtpy.QtCore import QObject, QTimer

from napari_pogmdm.gui.core.canvas import Canvas
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.camera import extent_of
from napari_pogmdm.gui.layers.cells import PanelPlace
from napari_pogmdm.gui.layers.view import LESSON, PINNED, SWIPE, Arrangement
from napari_pogmdm.gui.widgets.panel_overlay import ColourBar, PanelLabel, PanelOverlay
from napari_pogmdm.gui.widgets.view_bar import ViewBar

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.utils.events import Event
    from napari.viewer import Viewer

_COLOURS = 64  # steps of a colour bar, more than the eye tells apart


class WipedPair(Protocol):
    """Two pictures, one wiped over the other."""

    border: float

    @property
    def roles(self) -> tuple[str, str] | None:
        """Roles of the two."""


class CanvasFrame(QObject):
    """Keeps bar and titles up to date, and hands clicks on the bar to the canvas.

    Parameters
    ----------
    viewer
        Whose canvas it is.
    canvas
        What is seen.
    book
        Knows titles and units.
    parent
        With which this ends.

    Attributes
    ----------
    bar
        Names the views.
    overlay
        Has the titles.
    read
        Gives the value of a panel under the mouse, where there is one.
    pair
        Tells which two pictures a swipe is made of, and where the one ends.
    """

    def __init__(self, viewer: Viewer, canvas: Canvas, book: LayerBook, parent: QObject) -> None:
        super().__init__(parent)
        self._viewer = viewer
        self._canvas = canvas
        self._book = book
        self._marked: tuple[float, float] | None = None
        self._drawn: tuple[tuple[tuple[float, float], ...], ...] = ()
        self.read: Callable[[Layer], float | None] = lambda layer: None
        self.pair: WipedPair | None = None
        native = viewer.window._qt_viewer.canvas.native
        self.bar = ViewBar(tuple(canvas.views))
        self.overlay = PanelOverlay(native)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.refresh)
        viewer.window._qt_viewer.dims.setObjectName("coil_slider")  # by which lessons point at it
        around = native.parentWidget()
        column = None if around is None else around.layout()
        if column is not None:
            column.insertWidget(0, self.bar)
        self.bar.chosen.connect(canvas.show)
        self.bar.arranged.connect(self._arrange)
        self.bar.fitted.connect(canvas.fit)
        canvas.arranged.connect(self.refresh_soon)
        viewer.layers.events.inserted.connect(self._follow_colours)
        for layer in viewer.layers:
            self._watch(layer)
        viewer.scene.camera.events.zoom.connect(self.refresh_soon)
        viewer.scene.camera.events.center.connect(self.refresh_soon)
        self.refresh()

    def _follow_colours(self, event: Event) -> None:
        self._watch(event.value)

    def _watch(self, layer: Layer) -> None:
        """Let the colour bar of a layer say what its colours mean, whoever changes them."""
        for name in ("contrast_limits", "colormap"):
            if name in layer.events:
                getattr(layer.events, name).connect(self.refresh_soon)

    def refresh_soon(self) -> None:
        """Bring everything up to date when whatever happens now is over."""
        with suppress(RuntimeError):  # the window may be going
            if not self._soon.isActive():
                self._soon.start(0)

    def catch_up(self) -> None:
        """Bring everything up to date now, if it waits to be, so that it is painted together with what happened."""
        if self._soon.isActive():
            self._soon.stop()
            self.refresh()

    def refresh(self) -> None:
        """Bring bar and titles up to date."""
        if not hasattr(self._viewer.window, "_qt_window"):
            return  # the window has gone while this waited for its turn
        canvas = self._canvas
        hints = {name: view.hint for name, view in canvas.views.items() if not canvas.available(name)}
        hidden = [name for name in (PINNED, LESSON) if name in hints and canvas.shown != name]
        several = len(canvas.view.chosen) > 1 and canvas.view.arrangement is not Arrangement.ROW
        about = {name: view.about for name, view in canvas.views.items()}
        arrangement = canvas.view.arrangement if several else None
        self.bar.show_state(canvas.shown, canvas.offered, hints, hidden, arrangement, about)
        self.overlay.write([label for cell in canvas.cells() for label in self._labels(cell)])
        sliders = self._viewer.window._qt_viewer.dims
        deep = any(layer.ndim > 2 for layer in self._viewer.layers if layer.visible)
        if sliders.isHidden() == deep:
            sliders.setVisible(deep)  # a slider through coils means nothing while none is seen

    def mark(self, place: tuple[float, float] | None) -> None:
        """Put a cross on a place of the world in every panel, or take it away."""
        found = None if place is None else (float(place[0]), float(place[1]))
        if found != self._marked:
            self._marked = found
            self.refresh_soon()

    def draw(self, lines: tuple[tuple[tuple[float, float], ...], ...]) -> None:
        """Draw lines through places of the world in every panel, in the stead of those before."""
        if lines != self._drawn:
            self._drawn = lines
            self.refresh_soon()

    def title_of(self, layer: Layer) -> str:
        """Give what stands over a panel."""
        role = self._book.role_of(layer)
        return str(layer.name) if role is None else self._book.title(role)[0]

    def _arrange(self, side_by_side: bool) -> None:
        self._canvas.arrange_as(Arrangement.GRID if side_by_side else Arrangement.ONE)

    def _labels(self, cell: PanelPlace) -> list[PanelLabel]:
        """Give the title of a panel, or those of the two that are wiped over each other."""
        two = self.pair.roles if self.pair is not None and self._book.role_of(cell.layer) == SWIPE else None
        whole = self._label(cell)
        if two is None or self.pair is None:
            return [whole]
        left, _, right, _ = cell.picture
        border = min(max(left + self.pair.border * (right - left), cell.left), cell.left + cell.width)
        titles = [self._book.title(role) for role in two]
        first = replace(whole, width=border - cell.left, title=titles[0][0], remark=titles[0][1], edged=True)
        rest = cell.left + cell.width - border
        return [first, replace(whole, left=border, width=rest, title=titles[1][0], remark=titles[1][1], value="")]

    def _label(self, cell: PanelPlace) -> PanelLabel:
        role = self._book.role_of(cell.layer)
        title, remark = (cell.layer.name, "") if role is None else self._book.title(role)
        bar = None if role is None else self._bar(cell.layer, role)
        left, top, width, height = self._room(cell)
        lines = tuple(tuple(_on_canvas(cell, place) for place in line) for line in self._drawn)
        value = self._value(cell.layer, role)
        mark, below = self._mark_in(cell), (cell.picture[2], cell.picture[3])
        return PanelLabel(left, top, width, height, title, remark, bar, mark, value, lines=lines, corner=below)

    def _value(self, layer: Layer, role: str | None) -> str:
        value = self.read(layer)
        if value is None:
            return ""
        unit = "" if role is None else self._book.style(role).unit
        share = 100 / (self._book.geometry.white or 1.0) if unit == "%" else 1.0
        return f"{number_text(share * float(value))} {unit}".strip()

    def _room(self, cell: PanelPlace) -> tuple[float, float, float, float]:
        """Find where titles stand: in a cell, or where several share a scene, upon what is seen of the picture."""
        if self._canvas.view.arrangement is not Arrangement.ROW:
            return cell.left, cell.top, cell.width, cell.height
        high, wide = (float(size) for size in self._viewer.canvas.size)
        left, top, right, bottom = cell.picture
        left, top = max(left, 0.0), max(top, 0.0)
        return left, top, min(right, wide) - left, min(bottom, high) - top

    def _mark_in(self, cell: PanelPlace) -> tuple[float, float] | None:
        """Find the marked place in a cell, if it is seen there."""
        if self._marked is None:
            return None
        x, y = _on_canvas(cell, self._marked)
        seen = cell.left <= x <= cell.left + cell.width and cell.top <= y <= cell.top + cell.height
        return (x, y) if seen else None

    def _bar(self, layer: Layer, role: str) -> ColourBar | None:
        style = self._book.style(role)
        low, high = (float(limit) for limit in layer.contrast_limits)
        if layer.colormap.name == "gray" and low >= 0:
            return None
        share = 100 / (self._book.geometry.white or 1.0) if style.unit == "%" else 1.0
        colours = np.round(255 * np.asarray(layer.colormap.map(np.linspace(0, 1, _COLOURS)))).astype(np.uint8)
        return ColourBar(colours, number_text(share * low), f"{number_text(share * high)} {style.unit}".strip())


def _on_canvas(cell: PanelPlace, place: tuple[float, float]) -> tuple[float, float]:
    """Find a place of the world in a cell: x and y in pixels of the canvas."""
    left, top, right, bottom = cell.picture
    up, west, down, east = extent_of([cell.layer])
    x = left + (place[1] - west) / (east - west) * (right - left)
    return x, top + (place[0] - up) / (down - up) * (bottom - top)


def number_text(value: float) -> str:
    """Write a number of a colour bar: three figures, pi as a letter, no minus before zero."""
    if math.isclose(abs(value), math.pi, rel_tol=1e-3):
        return "π" if value > 0 else "-π"
    text = f"{value:.3g}"
    return "0" if float(text) == 0 else text
