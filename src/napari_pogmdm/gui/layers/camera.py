"""What the canvas shows: chosen layers, or all that are visible, fitted into it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.viewer import Viewer

_SMALLEST_EXTENT = 1e-9  # world units; keeps a layer of no size from dividing by zero


class Camera:
    """The camera of one viewer.

    Parameters
    ----------
    viewer
        Whose canvas it looks at.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer

    def fit(self, layers: Sequence[Layer]) -> None:
        """Fit layers into the canvas; napari itself cannot fit flat layers alone while there are deeper ones."""
        viewer = self._viewer
        alone = any(layer.ndim == viewer.dims.ndim for layer in layers)
        viewer.fit_to_view(layers=layers if alone else None)
        if layers and not alone and viewer.dims.ndisplay == 2:
            low = np.min([layer.extent.world[0, -2:] for layer in layers], axis=0)
            high = np.max([layer.extent.world[1, -2:] for layer in layers], axis=0)
            whole = viewer.layers.extent.world[:, -2:]
            everything = np.maximum(whole[1] - whole[0], _SMALLEST_EXTENT)
            camera = getattr(viewer, "scene", viewer).camera
            camera.center = (*camera.center[:-2], *((low + high) / 2))
            camera.zoom *= float(np.min(everything / np.maximum(high - low, _SMALLEST_EXTENT)))

    def fit_visible(self) -> None:
        """Fit everything that is visible into the canvas."""
        self.fit([layer for layer in self._viewer.layers if layer.visible])
