"""Layers that accompany another one: they lie where it lies, and new data go into their own buffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from napari_pogmdm.arrays import FloatImage

if TYPE_CHECKING:
    from napari.layers import Image
    from napari.viewer import Viewer


@dataclass(frozen=True)
class Place:
    """Where an image lies in the world, and in which units."""

    scale: tuple[float, ...] = (1.0, 1.0)
    translate: tuple[float, ...] = (0.0, 0.0)
    units: tuple[str, ...] = ("pixel", "pixel")

    @classmethod
    def of(cls, layer: Image) -> Place:
        """Tell where a layer lies."""
        return cls(tuple(map(float, layer.scale)), tuple(map(float, layer.translate)), tuple(map(str, layer.units)))


class Companions:
    """Image layers by role, hidden until somebody shows them; one that the user deletes stays away until `recall`."""

    def __init__(self, viewer: Viewer, names: dict[str, str]) -> None:
        self._viewer = viewer
        self._names = names
        self._layers: dict[str, Image] = {}
        self._dismissed: set[str] = set()

    def __contains__(self, layer: object) -> bool:
        return any(layer is known for known in self._layers.values())

    @property
    def layers(self) -> list[Image]:
        """The layers there are, in the order of their roles."""
        self._notice_deletions()
        return [self._layers[role] for role in self._names if role in self._layers]

    def get(self, role: str) -> Image | None:
        """Find the layer of a role."""
        self._notice_deletions()
        return self._layers.get(role)

    def recall(self) -> None:
        """Let deleted layers come back with the next data."""
        self._dismissed.clear()

    def show(
        self, role: str, data: FloatImage, limits: tuple[float, float], place: Place, colormap: str = "gray"
    ) -> Image | None:
        """Show new data at a contrast; nothing happens if the user deleted the layer."""
        layer = self.get(role)
        if role in self._dismissed:
            return None
        if layer is None or layer.data.shape != data.shape:
            visible = layer is not None and bool(layer.visible)
            self._remove(role)
            return self._make(role, data, limits, place, colormap, visible)
        np.copyto(layer.data, data)
        if Place.of(layer) != place:
            layer.scale, layer.translate, layer.units = place.scale, place.translate, place.units
        if tuple(layer.contrast_limits) != limits:
            low, high = layer.contrast_limits_range
            layer.contrast_limits_range = (min(low, limits[0]), max(high, limits[1]))
            layer.contrast_limits = limits
        layer.refresh(thumbnail=False, highlight=False, extent=False)
        return layer

    def _make(
        self, role: str, data: FloatImage, limits: tuple[float, float], place: Place, colormap: str, visible: bool
    ) -> Image:
        from napari.layers import Image

        layer = Image(
            np.array(data, dtype=np.float32),
            name=self._names[role],
            colormap=colormap,
            contrast_limits=limits,
            scale=place.scale,
            translate=place.translate,
            units=place.units,
            visible=visible,
            metadata={"pogmdm role": role},
        )
        self._layers[role] = layer
        self._viewer.add_layer(layer)
        return layer

    def _remove(self, role: str) -> None:
        layer = self._layers.pop(role, None)
        if layer is not None:
            self._viewer.layers.remove(layer)

    def _notice_deletions(self) -> None:
        for role in [role for role, layer in self._layers.items() if layer not in self._viewer.layers]:
            del self._layers[role]
            self._dismissed.add(role)
