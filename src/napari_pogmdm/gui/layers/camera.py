"""Fits the camera to chosen layers, whatever other layers there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.viewer import Viewer

_SMALLEST_EXTENT = 1e-9  # world units; keeps a layer of no size from dividing by zero
_FILLED = 0.97  # of a cell in the direction that decides: a thin dark edge tells pictures apart

Extent = tuple[float, float, float, float]
"""Top, left, bottom and right, in the units of the world."""


@dataclass(frozen=True)
class CameraState:
    """Where one looked.

    Attributes
    ----------
    centre, zoom
        Of napari's camera.
    extent
        What was seen; for anything else it is of no use.
    """

    centre: tuple[float, ...]
    zoom: float
    extent: Extent


def extent_of(layers: Sequence[Layer]) -> Extent:
    """Find the smallest rectangle that holds all of these layers; one that holds nothing does not count."""
    found = [(np.asarray(layer.extent.world)[:, -2:], np.asarray(layer.scale)[-2:] / 2) for layer in layers]
    boxes = [(world[0] - half, world[1] + half) for world, half in found if np.isfinite(world).all()]
    if not boxes:
        return 0.0, 0.0, 1.0, 1.0
    low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


class Camera:
    """The camera of one viewer.

    Parameters
    ----------
    viewer
        Whose canvas it looks at.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._fitted: tuple[tuple[float, ...], float] | None = None

    @property
    def moved(self) -> bool:
        """Whether somebody moved it since it was last fitted."""
        return self._fitted is not None and self._fitted != self._now

    def state(self, layers: Sequence[Layer]) -> CameraState:
        """Tell where it looks at layers."""
        return CameraState(*self._now, extent_of(layers))

    def look(self, centre: tuple[float, ...], zoom: float) -> None:
        """Look somewhere."""
        camera = self._viewer.scene.camera
        if tuple(camera.center) != centre:
            camera.center = centre
        if camera.zoom != zoom:
            camera.zoom = zoom

    @property
    def _now(self) -> tuple[tuple[float, ...], float]:
        camera = self._viewer.scene.camera
        return tuple(float(value) for value in camera.center), float(camera.zoom)

    def fit(self, layers: Sequence[Layer]) -> None:
        """Fit layers into the canvas, or into every cell of its grid; napari itself counts hidden layers, too."""
        if not layers:
            return
        if self._viewer.dims.ndisplay != 2:
            self._viewer.fit_to_view(layers=list(layers))
            return
        top, left, bottom, right = extent_of(layers)
        size = np.maximum((bottom - top, right - left), _SMALLEST_EXTENT)
        room = np.asarray(self._viewer.canvas.viewbox_size(self._viewer.layers), dtype=float)
        lead = self._now[0][:-2]
        self.look((*lead, (top + bottom) / 2, (left + right) / 2), _FILLED * float(np.min(room / size)))
        self._fitted = self._now

    def fit_visible(self) -> None:
        """Fit everything that is visible into the canvas."""
        self.fit([layer for layer in self._viewer.layers if layer.visible])
