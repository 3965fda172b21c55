"""Where images lie and how bright white is: what all layers of one slice share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquisition import Acquisition

_WHITE_PERCENTILE = 99.8


@dataclass(frozen=True)
class DisplayGeometry:
    """Rows and columns of the uncropped image, its pixel size in millimetres, and the intensity shown as white."""

    whole: tuple[int, int]
    pixel: tuple[float, float]
    white: float

    @property
    def unit(self) -> str:
        """What a pixel is measured in."""
        return "pixel" if self.pixel == (1.0, 1.0) else "mm"


def geometry_of(acquisition: Acquisition, image: FloatImage | None, white: float = 1.0) -> DisplayGeometry:
    """Find the geometry of a slice; ``image`` decides about white, ``white`` stands in while there is none."""
    view = acquisition.header.encoded_field_of_view_mm
    rows, columns = acquisition.shape
    pixel = (1.0, 1.0) if view is None else (view[0] / rows, view[1] / columns)
    return DisplayGeometry(acquisition.shape, pixel, white if image is None else white_of(image))


def white_of(image: FloatImage) -> float:
    """Give the intensity that is shown as white."""
    return float(np.percentile(image, _WHITE_PERCENTILE)) or 1.0
