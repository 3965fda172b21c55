"""Where a layer lies in the world: images, k-space and point spreads side by side, cropped images inside whole ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from napari_pogmdm.runs.display import DisplayGeometry

if TYPE_CHECKING:
    from napari.layers import Image

_GAP = 0.06  # between two columns, as a share of a column's width


@dataclass(frozen=True)
class Placement:
    """Scale, position and units of a layer, one value an axis.

    Attributes
    ----------
    scale
        Size of a pixel.
    translate
        Where the first pixel lies.
    units
        What both are measured in.
    axis_labels
        Names of the axes; empty leaves those that the layer has.
    """

    scale: tuple[float, ...] = (1.0, 1.0)
    translate: tuple[float, ...] = (0.0, 0.0)
    units: tuple[str, ...] = ("pixel", "pixel")
    axis_labels: tuple[str, ...] = ()

    @classmethod
    def of(cls, layer: Image) -> Placement:
        """Tell where a layer lies."""
        return cls(tuple(map(float, layer.scale)), tuple(map(float, layer.translate)), tuple(map(str, layer.units)))

    def apply(self, layer: Image) -> None:
        """Put a layer there; moving one is slow, so it is not done without need."""
        if Placement.of(layer) != replace(self, axis_labels=()):
            layer.units = self.units
            layer.scale = self.scale
            layer.translate = self.translate
        if self.axis_labels:
            layer.axis_labels = self.axis_labels


def in_column(geometry: DisplayGeometry, shape: tuple[int, ...], column: int, *, gridded: bool) -> Placement:
    """Place an array in a column of the canvas.

    Parameters
    ----------
    geometry
        Of the slice that the array belongs to.
    shape
        Of the array, (..., rows, columns); axes before the last two are coils.
    column
        0 for images, 1 for k-space, 2 for point spreads. Images keep their pixel size and lie in the middle of the
        whole image; the others have other units, and are drawn as large as the image beside them.
    gridded
        Whether all columns lie upon each other, as a grid of linked views needs them.
    """
    rows, columns = shape[-2:]
    coils = len(shape) - 2
    (high, wide), (height, width) = geometry.whole, geometry.pixel
    scale, corner = geometry.pixel, ((high - rows) // 2 * height, (wide - columns) // 2 * width)
    if column:
        scale, corner = (height * high / rows, width * wide / columns), (0.0, 0.0)
    across = 0.0 if gridded else column * wide * width * (1 + _GAP)
    return Placement(
        scale=(*[1.0] * coils, *scale),
        translate=(*[0.0] * coils, corner[0], corner[1] + across),
        units=(*["pixel"] * coils, geometry.unit, geometry.unit),
        axis_labels=(*["coil"] * coils, *(("ky", "kx") if column == 1 else ("y", "x"))),
    )
