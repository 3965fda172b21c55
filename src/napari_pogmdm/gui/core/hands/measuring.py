"""Numbers along a line and inside rectangles, of every panel at once; no Qt in here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from napari.layers import Layer

Place = tuple[float, float]
"""Row and column in the world, in millimetres or pixels."""


@dataclass(frozen=True)
class Region:
    """A rectangle in the world.

    Attributes
    ----------
    first, second
        Two corners that lie opposite each other.
    """

    first: Place
    second: Place

    @property
    def outline(self) -> tuple[Place, ...]:
        """The corners, and the first once more."""
        (top, left), (bottom, right) = self.first, self.second
        return (top, left), (top, right), (bottom, right), (bottom, left), (top, left)


@dataclass(frozen=True)
class PanelNumbers:
    """A panel inside one or two regions, in its own units.

    Attributes
    ----------
    mean, deviation, pixels
        Inside the first.
    snr
        Mean over standard deviation inside the first, which should hold one tissue.
    other_mean
        Inside the second; NaN without one.
    cnr
        Difference of the means over the root mean square of both standard deviations; NaN without a second region.
    """

    mean: float
    deviation: float
    pixels: int
    snr: float
    other_mean: float = math.nan
    cnr: float = math.nan


def profile(layer: Layer, line: tuple[Place, Place], lead: Sequence[float]) -> tuple[NDArray[np.float64], ...] | None:
    """Read a flat layer along a line: distances from its beginning in the units of the world, and values between.

    Parameters
    ----------
    layer
        With (..., rows, columns).
    line
        Where it begins and ends.
    lead
        Position along axes before the last two, such as the coil that is shown.

    Returns
    -------
    (samples,) distances and (samples,) values, NaN outside; ``None`` where the line misses the layer.
    """
    from scipy.ndimage import map_coordinates

    image = _flat(layer, lead)
    ends = np.array([_pixel(layer, place) for place in line])
    count = max(2, math.ceil(float(np.hypot(*(ends[1] - ends[0])))) + 1)
    steps = np.linspace(0.0, 1.0, count)
    places = ends[0][:, None] + (ends[1] - ends[0])[:, None] * steps
    values = map_coordinates(image, places, order=1, mode="constant", cval=np.nan)
    if not np.isfinite(values).any():
        return None
    return steps * math.dist(*line), values


def numbers(layer: Layer, regions: Sequence[Region], lead: Sequence[float]) -> PanelNumbers | None:
    """Sum up a flat layer inside one or two regions; ``None`` where the first misses it."""
    image = _flat(layer, lead)
    found = [_inside(layer, image, region) for region in regions[:2]]
    if not found or not found[0].size:
        return None
    first = found[0]
    mean, deviation = float(first.mean()), float(first.std())
    snr = mean / deviation if deviation > 0 else math.nan
    if len(found) < 2 or not found[1].size:
        return PanelNumbers(mean, deviation, first.size, snr)
    other = float(found[1].mean())
    spread = math.sqrt((deviation**2 + float(found[1].std()) ** 2) / 2)
    return PanelNumbers(mean, deviation, first.size, snr, other, abs(mean - other) / spread if spread else math.nan)


def _inside(layer: Layer, image: NDArray[np.float64], region: Region) -> NDArray[np.float64]:
    """Give the pixels whose centres lie in a region."""
    corners = np.array([_pixel(layer, place) for place in (region.first, region.second)])
    low, high = np.ceil(corners.min(axis=0)).astype(int), np.floor(corners.max(axis=0)).astype(int) + 1
    (top, left), (bottom, right) = np.maximum(low, 0), np.maximum(high, 0)
    return image[top:bottom, left:right].ravel()


def _flat(layer: Layer, lead: Sequence[float]) -> NDArray[np.float64]:
    data = np.asarray(layer.data)
    for axis in range(data.ndim - 2):
        where = lead[axis] if axis < len(lead) else 0.0
        data = data[min(max(round(where), 0), len(data) - 1)]
    return data.astype(np.float64)


def _pixel(layer: Layer, place: Place) -> Place:
    """Give the row and column, with fractions, of a place in the world."""
    scale, corner = np.asarray(layer.scale)[-2:], np.asarray(layer.translate)[-2:]
    row, column = (np.asarray(place) - corner) / scale
    return float(row), float(column)
