"""Other looks at what panels show: phase, real and imaginary part of complex ones, and all coils at once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.gui.core.canvas import Canvas
from napari_pogmdm.gui.core.pins import Pins
from napari_pogmdm.gui.core.raw_views import RawViews
from napari_pogmdm.gui.core.session_layers import SessionLayers
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.complex_view import PARTS, style_of, view_of
from napari_pogmdm.gui.layers.placement import Placement
from napari_pogmdm.gui.layers.style import LayerStyle
from napari_pogmdm.runs.roles import Role

if TYPE_CHECKING:
    from napari.layers import Image

_PHASES = {Role.IMAGE: Role.PHASE, Role.COIL_MAGNITUDE: Role.COIL_PHASE}
_WORDS = {"phase": "phase", "real": "real part", "imaginary": "imaginary part"}
_PREFIX = "look at "  # of the roles that are made here


class Looks:
    """Puts other looks at panels into their places, in the view that is seen.

    Parameters
    ----------
    canvas, book
        What is seen, and whose layers they are.
    layers
        Has the background make the phases that parts are made of.
    raw
        Shows parts of the coil images.
    pins
        Know the phases of pinned images.

    Attributes
    ----------
    part
        One of `PARTS`, of every complex panel.
    mosaic
        Whether all coils are seen at once.
    """

    def __init__(self, canvas: Canvas, book: LayerBook, layers: SessionLayers, raw: RawViews, pins: Pins) -> None:
        self._canvas = canvas
        self._book = book
        self._layers = layers
        self._raw = raw
        self._pins = pins
        self.part = next(iter(PARTS))
        self.mosaic = False
        self._shown: dict[str, tuple[object, ...]] = {}
        canvas.arranged.connect(self.renew)
        raw.arrived.connect(canvas.touch)

    def next_part(self) -> None:
        """Show the next of magnitude, phase, real and imaginary part in every complex panel of the view."""
        names = list(PARTS)
        self.part = names[(names.index(self.part) + 1) % len(names)]
        if Role.COIL_IMAGES in map(base_of, self._canvas.view.chosen):
            self._raw.show_part(self.part)
        self._replace()

    def toggle_mosaic(self) -> None:
        """Show all coils at once, or one with a slider."""
        self.mosaic = not self.mosaic
        self._replace()

    def renew(self) -> None:
        """Follow what looks are made of, where they are seen."""
        for role in self._canvas.view.chosen:
            if isinstance(role, str) and role.startswith(_PREFIX):
                self._show(role)

    def _replace(self) -> None:
        """Put looks into the places of panels, or the panels back into theirs."""
        view = self._canvas.view
        chosen = [base_of(panel) for panel in view.chosen]
        self._layers.needed = self._needs(chosen)
        self._book.changed()
        view.chosen = [self._look(panel) if isinstance(panel, str) else panel for panel in chosen]
        view.front = None
        self.renew()
        self._canvas.show(view.name)

    def _needs(self, panels: list[object]) -> frozenset[str]:
        """Find what the run has to make besides what is seen."""
        looked = [role for role in _PHASES if role in panels and self._look(role) != role]
        return frozenset({*looked, *(str(_PHASES[role]) for role in looked)})

    def _look(self, role: str) -> str:
        """Name the look that stands for a panel; itself where there is none."""
        layer = self._book.get(role)
        parted = self.part != "magnitude" and (role in _PHASES or self._phase(role) is not None)
        tiled = self.mosaic and layer is not None and layer.ndim == 3
        return f"{_PREFIX}{role}" if parted or tiled else role

    def _phase(self, role: str) -> NDArray[np.floating] | None:
        pin = self._pins.find(role)
        if pin is not None:
            return pin.phase
        layer = self._book.get(_PHASES[Role(role)]) if role in _PHASES else None
        return None if layer is None else np.asarray(layer.data)

    def _show(self, role: str) -> None:
        base = str(base_of(role))
        layer, phase = self._book.get(base), self._phase(base)
        awaited = phase is None and base in _PHASES and self.part != "magnitude"
        if layer is None or awaited or (phase is not None and phase.shape != layer.data.shape):
            return
        data, style = np.asarray(layer.data), self._style(base, layer)
        if phase is not None and self.part != "magnitude":
            data = view_of(data * np.exp(1j * phase), self.part)
            made = style_of(self.part, f"{_WORDS[self.part]} of {self._book.style(base).name}", data)
            style = replace(made, unit="rad" if PARTS[self.part].cyclic else "")
        scale, corner = layer.scale[-2:], layer.translate[-2:]
        if self.mosaic and data.ndim == 3:
            dark = style.limits(data, self._book.geometry.white)[0]
            data, corner = tiled(data, dark), (0.0, 0.0)
            style = replace(style, name=f"all {style.name}")
        placement = Placement(
            (*[1.0] * (data.ndim - 2), *map(float, scale)),
            (*[0.0] * (data.ndim - 2), *map(float, corner)),
            tuple(map(str, layer.units[-data.ndim :])),
        )
        self._dress(role, style, data)
        self._book.state(role, self._book.facts(base))
        old = self._book.get(role)
        if old is None or old.data.shape != data.shape or not np.array_equal(old.data, data):
            self._book.show(role, data, placement=placement)

    def _dress(self, role: str, style: LayerStyle, data: NDArray[np.floating]) -> None:
        """Give a look the colours of its part; contrast that was set by hand stays until the part changes."""
        worn = (style.name, style.colormap, data.ndim)
        if self._shown.get(role) != worn:
            self._shown[role] = worn
            self._book.welcome_back(role)
            if self._book.get(role) is None:
                self._book.add_style(role, style)
            else:
                self._book.restyle(role, style, data)

    def _style(self, base: str, layer: Image) -> LayerStyle:
        limits = (float(layer.contrast_limits[0]), float(layer.contrast_limits[1]))
        return replace(self._book.style(base), name=layer.name, colormap=layer.colormap.name, contrast=limits)


def base_of(panel: object) -> object:
    """Give the panel that a look is made of; any other as it is."""
    return panel.removeprefix(_PREFIX) if isinstance(panel, str) else panel


def tiled(stack: NDArray[np.floating], rest: float = 0.0) -> NDArray[np.floating]:
    """Lay (images, rows, columns) side by side in as square a mosaic as there is; what is left over has one value."""
    count, rows, columns = stack.shape
    wide = max(1, round(math.sqrt(count * rows / columns)))
    high = math.ceil(count / wide)
    whole = np.full((high * wide, rows, columns), rest, dtype=stack.dtype)
    whole[:count] = stack
    return whole.reshape(high, wide, rows, columns).swapaxes(1, 2).reshape(high * rows, wide * columns)
