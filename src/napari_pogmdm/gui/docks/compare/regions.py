"""Regions of interest: from drawn outlines to pixels, and what lies inside; no Qt in here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError

_CORNERS = 64  # of the polygon that stands for an ellipse: off by a thousandth of its radius


@dataclass(frozen=True)
class RegionNumbers:
    """An image inside a region, in the units of the image.

    Attributes
    ----------
    pixels
        How many there are.
    mean, deviation
        Mean and standard deviation.
    error
        Root mean square of image - reference; NaN without a reference.
    """

    pixels: int
    mean: float
    deviation: float
    error: float


def outline(kind: str, vertices: NDArray[np.floating]) -> NDArray[np.float64]:
    """Give the corners (n, 2) of a drawn shape; an ellipse comes as the corners of its box."""
    corners = np.asarray(vertices, dtype=np.float64)[:, -2:]
    if kind in {"rectangle", "polygon"}:
        return corners
    if kind != "ellipse":
        raise InputError(f"ROI: a {kind} encloses no pixels; draw a rectangle, an ellipse or a polygon.")
    centre = corners.mean(axis=0)
    first, second = (corners[1] - corners[0]) / 2, (corners[2] - corners[1]) / 2
    angles = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)[:, None]
    return np.asarray(centre + np.cos(angles) * first + np.sin(angles) * second)


def region_mask(shape: tuple[int, int], outlines: Sequence[NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Mark the pixels of an image whose centres lie inside one of the outlines, in pixel coordinates."""
    from skimage.draw import polygon

    inside = np.zeros(shape, dtype=bool)
    for corners in outlines:
        rows, columns = polygon(corners[:, 0], corners[:, 1], shape)
        inside[rows, columns] = True
    if not outlines:
        raise InputError("ROI: the layer holds no shape; draw a rectangle, an ellipse or a polygon on the image.")
    if not inside.any():
        raise InputError("ROI: it lies outside the image; move it onto the image.")
    return inside


def region_numbers(image: FloatImage, reference: FloatImage | None, inside: NDArray[np.bool_]) -> RegionNumbers:
    """Sum up an image inside a region."""
    values = image[inside].astype(np.float64)
    error = math.nan if reference is None else float(np.sqrt(((values - reference[inside]) ** 2).mean()))
    return RegionNumbers(values.size, float(values.mean()), float(values.std()), error)
