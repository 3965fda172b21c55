"""Lines and rectangles that are drawn over all panels at once with the mouse, and what they measure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from napari_pogmdm.gui.core.canvas import Canvas
from napari_pogmdm.gui.core.canvas_frame import CanvasFrame
from napari_pogmdm.gui.core.hands.measuring import PanelNumbers, Place, Region, numbers, profile
from napari_pogmdm.gui.widgets.measure_card import MeasureCard

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.utils.events import Event
    from napari.viewer import Viewer

_MISSED = "The region lies outside the images."
_SHORTEST = 1e-3  # of the world's units; a click is no line


class Measure:
    """Draws a line with Shift and the mouse, rectangles with Ctrl, Shift and the mouse; the card says the numbers.

    Parameters
    ----------
    viewer
        Whose canvas it is.
    canvas, frame
        What is seen, and what is written upon it.

    Attributes
    ----------
    card
        Shows curves or numbers upon the canvas.
    line, regions
        What is drawn, in the world.
    """

    def __init__(self, viewer: Viewer, canvas: Canvas, frame: CanvasFrame) -> None:
        self._viewer = viewer
        self._canvas = canvas
        self._frame = frame
        self.card = MeasureCard(viewer)
        self.line: tuple[Place, Place] | None = None
        self.regions: tuple[Region, ...] = ()
        self.card.closed.connect(self.clear)
        canvas.arranged.connect(self.refresh)

    def clear(self) -> None:
        """Take lines and regions away."""
        self.line, self.regions = None, ()
        self.refresh()

    def drag(self, viewer: Viewer, event: Event) -> Iterator[None]:
        """Follow the mouse while the keys are held."""
        modifiers = set(event.modifiers)
        kept = self.regions[-1:]  # the second region is held against the first; a third one begins anew
        if event.button != 1 or modifiers not in ({"Shift"}, {"Shift", "Control"}) or self._drawn_upon:
            return
        if len(self.regions) > 1:
            kept = ()
        start = _place(event)
        yield
        while event.type == "mouse_move":
            if "Control" in modifiers:
                self.draw_region(start, _place(event), kept)
            else:
                self.draw_line(start, _place(event))
            yield

    @property
    def _drawn_upon(self) -> bool:
        """Whether the mouse draws on a layer, such as a mask, where Shift means something else."""
        active = self._viewer.layers.selection.active
        return active is not None and str(active.mode) not in {"pan_zoom", "transform"}

    def draw_line(self, start: Place, end: Place) -> None:
        """Read all panels along a line."""
        if math.dist(start, end) > _SHORTEST:
            self.line, self.regions = (start, end), ()
            self.refresh()

    def draw_region(self, start: Place, end: Place, kept: tuple[Region, ...] = ()) -> None:
        """Sum all panels up inside a rectangle, after others that are kept."""
        if min(abs(first - second) for first, second in zip(start, end, strict=True)) > _SHORTEST:
            self.line, self.regions = None, (*kept, Region(start, end))
            self.refresh()

    def refresh(self) -> None:
        """Draw and reckon anew, as panels may have changed."""
        drawn = [] if self.line is None else [self.line]
        self._frame.draw((*drawn, *(region.outline for region in self.regions)))
        if self.line is not None:
            self._show_profiles(self.line)
        elif self.regions:
            self._show_numbers()
        else:
            self.card.hide()

    def _show_profiles(self, line: tuple[Place, Place]) -> None:
        found = {self._name(layer): profile(layer, line, self._lead(layer)) for layer in self._images()}
        curves = {name: (read[0], read[1]) for name, read in found.items() if read is not None}
        unit = str(self._viewer.layers[0].units[-1]) if len(self._viewer.layers) else "pixel"
        self.card.show_curves(curves, "mm" if unit.startswith("milli") else unit)

    def _show_numbers(self) -> None:
        found = {self._name(layer): numbers(layer, self.regions, self._lead(layer)) for layer in self._images()}
        told = {name: one for name, one in found.items() if one is not None}
        self.card.show_text(_table(told, two=len(self.regions) > 1) if told else _MISSED)

    def _images(self) -> list[Layer]:
        return [layer for layer in self._canvas.panels() if hasattr(layer, "contrast_limits") and not layer.rgb]

    def _name(self, layer: Layer) -> str:
        return self._frame.title_of(layer).partition(", ")[0]

    def _lead(self, layer: Layer) -> tuple[float, ...]:
        """Give the coil that is shown of a stack."""
        return tuple(float(value) for value in self._viewer.dims.point[: layer.ndim - 2][-max(layer.ndim - 2, 0) :])


def _place(event: Event) -> Place:
    row, column = (float(value) for value in event.position[-2:])
    return row, column


def _table(found: dict[str, PanelNumbers], two: bool) -> str:
    """Write the numbers of all panels as a table."""
    heads = ("", "mean", "SD", "SNR", *(("mean 2", "CNR") if two else ()))
    rows = []
    for name, one in found.items():
        values = (one.mean, one.deviation, one.snr, *((one.other_mean, one.cnr) if two else ()))
        cells = "".join(f"<td align='right'>&nbsp;&nbsp;{_text(value)}</td>" for value in values)
        rows.append(f"<tr><td>{escape(name)}</td>{cells}</tr>")
    pixels = next(iter(found.values())).pixels
    hint = "" if two else "; drag once more for a second region and CNR"
    head = "".join(f"<th align='right'>&nbsp;&nbsp;{one}</th>" for one in heads)
    return f"<table><tr>{head}</tr>{''.join(rows)}</table><small>{pixels} pixels{hint}</small>"


def _text(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "–"
