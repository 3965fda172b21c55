"""Where each panel of a view lies on the canvas, in its pixels; no Qt in here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from napari_pogmdm.gui.layers.camera import extent_of

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.viewer import Viewer


@dataclass(frozen=True, eq=False)
class PanelPlace:
    """A part of the canvas that shows one layer.

    Attributes
    ----------
    layer
        What is shown.
    left, top, width, height
        Of the cell, in pixels of the canvas.
    picture
        Left, top, right and bottom of the layer itself, in the same pixels; parts may lie outside of the cell.
    """

    layer: Layer
    left: float
    top: float
    width: float
    height: float
    picture: tuple[float, float, float, float]

    @property
    def filled(self) -> float:
        """Share of the cell that the picture fills in the direction in which it fills more."""
        left, top, right, bottom = self.picture
        return max((right - left) / self.width, (bottom - top) / self.height)


def cells_of(viewer: Viewer, layers: Sequence[Layer]) -> list[PanelPlace]:
    """Find the cells of visible layers.

    Parameters
    ----------
    viewer
        Whose canvas it is; its grid, where that is on, has a cell for each of the layers.
    layers
        In the order of the cells. Without a grid the canvas is shared out between layers that lie beside each other.
    """
    height, width = (float(size) for size in viewer.canvas.size)
    if not layers:
        return []
    if not viewer.canvas.grid.enabled:
        boxes = [_on_canvas(viewer, layer, (height, width), (0.0, 0.0)) for layer in layers]
        columns = _columns(boxes)
        share = width / (max(columns) + 1)
        return [
            PanelPlace(layer, column * share, 0.0, share, height, box)
            for layer, box, column in zip(layers, boxes, columns, strict=True)
        ]
    rows, columns_wide = viewer.canvas.grid.actual_shape(viewer.layers)
    room = tuple(float(size) for size in viewer.canvas.viewbox_size(viewer.layers))
    gap = float(viewer.canvas.grid._compute_canvas_spacing(viewer.canvas.size, viewer.layers))
    found = []
    for place, layer in enumerate(layers[: rows * columns_wide]):
        row, column = divmod(place, columns_wide)
        corner = row * (room[0] + gap), column * (room[1] + gap)
        box = _on_canvas(viewer, layer, room, corner)
        found.append(PanelPlace(layer, corner[1], corner[0], room[1], room[0], box))
    return found


def _on_canvas(
    viewer: Viewer, layer: Layer, room: tuple[float, ...], corner: tuple[float, float]
) -> tuple[float, float, float, float]:
    """Project a layer: left, top, right, bottom in pixels of the canvas."""
    camera = viewer.scene.camera
    extent = np.asarray(extent_of([layer])).reshape(2, 2)
    points = (extent - np.asarray(camera.center[-2:])) * camera.zoom + np.asarray(room) / 2 + corner
    (top, left), (bottom, right) = points.tolist()
    return left, top, right, bottom


def _columns(boxes: Sequence[tuple[float, float, float, float]]) -> list[int]:
    """Count pictures from left to right; those that lie upon each other share a number."""
    ends: list[tuple[float, float]] = []
    for left, _, right, _ in sorted(boxes):
        if not ends or left > sum(ends[-1]) / 2:
            ends.append((left, right))
    return [max(place for place, (start, _) in enumerate(ends) if start <= box[0]) for box in boxes]
