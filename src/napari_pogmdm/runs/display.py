"""Position of images and the intensity shown as white: what all layers of one slice share."""

from __future__ import annotations

from dataclasses import dataclass

from napari_pogmdm.arrays import FloatImage, white_of
from napari_pogmdm.data.acquisition import Acquisition


@dataclass(frozen=True)
class DisplayGeometry:
    """What all layers of one slice share.

    Attributes
    ----------
    whole
        Rows and columns of the uncropped image.
    pixel
        Height and width of a pixel in millimetres; ones where the file does not tell.
    white
        Intensity that is shown as white, in the units of the file.
    """

    whole: tuple[int, int]
    pixel: tuple[float, float]
    white: float

    @property
    def unit(self) -> str:
        """What a pixel is measured in."""
        return "pixel" if self.pixel == (1.0, 1.0) else "mm"


def geometry_of(acquisition: Acquisition, image: FloatImage | None, white: float = 1.0) -> DisplayGeometry:
    """Find the geometry of a slice.

    Parameters
    ----------
    acquisition
        The slice.
    image
        Decides about white, where there is one.
    white
        Stands in while there is none.
    """
    return DisplayGeometry(
        acquisition.shape, acquisition.pixel_mm or (1.0, 1.0), white if image is None else white_of(image)
    )
