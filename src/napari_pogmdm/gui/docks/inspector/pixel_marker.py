"""The cross on the image that shows which pixel is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from napari.layers import Layer, Points
    from napari.viewer import Viewer

NAME = "kept pixel"
_COLOUR = "#e8486f"  # as the pixel is marked on the potentials
_SIZE = 5.0  # pixels of the image


class PixelMarker:
    """A layer of one point, made when first needed and taken away when nothing is kept.

    Parameters
    ----------
    viewer
        Where the layer is shown.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._layer: Points | None = None

    def show(self, pixel: tuple[int, int], over: Layer) -> None:
        """Mark a pixel of a layer."""
        from napari.layers import Points

        if self._layer is None or self._layer not in self._viewer.layers:
            active = self._viewer.layers.selection.active
            self._layer = Points(np.zeros((1, 2)), name=NAME, symbol="cross", face_color=_COLOUR, border_width=0.0)
            self._viewer.add_layer(self._layer)
            self._viewer.layers.selection.active = active
        elif self._viewer.layers[-1] is not self._layer:
            self._viewer.layers.move(self._viewer.layers.index(self._layer), len(self._viewer.layers))
        self._layer.units = tuple(over.units[-2:])
        self._layer.scale = tuple(over.scale[-2:])
        self._layer.translate = tuple(over.translate[-2:])
        self._layer.data = np.array([pixel], dtype=float)
        self._layer.size = _SIZE

    def hide(self) -> None:
        """Take the mark away."""
        if self._layer is not None and self._layer in self._viewer.layers:
            self._viewer.layers.remove(self._layer)
        self._layer = None
