"""Where a slice lies in the patient, and how that is written for image formats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Place:
    """The place of a slice, in millimetres towards the patient's left, back and head (as DICOM counts them).

    Attributes
    ----------
    centre_mm
        Of the pixel at ``(rows // 2, columns // 2)`` of the whole image, where the transform puts the origin.
    down, across
        Unit vectors along which rows and columns count up.
    through
        Unit vector along which slices count up.
    thickness_mm
        Of the slice; ``None`` where the file does not say.
    """

    centre_mm: Vector
    down: Vector
    across: Vector
    through: Vector
    thickness_mm: float | None = None

    def affine(
        self, whole: tuple[int, int], crop: tuple[int, int], pixel_mm: tuple[float, float]
    ) -> NDArray[np.float64]:
        """Give the matrix from (column, row, slice) of a cropped image to right, front and head, as NIfTI wants it.

        Parameters
        ----------
        whole
            Rows and columns of the whole image.
        crop
            Rows and columns of its centre that are kept.
        pixel_mm
            Height and width of a pixel.
        """
        middle = [size // 2 - (size - kept) // 2 for size, kept in zip(whole, crop, strict=True)]
        steps = np.stack(
            (
                np.array(self.across) * pixel_mm[1],
                np.array(self.down) * pixel_mm[0],
                np.array(self.through) * (self.thickness_mm or 1.0),
            ),
            axis=1,
        )
        matrix = np.eye(4)
        matrix[:3, :3] = steps
        matrix[:3, 3] = np.array(self.centre_mm) - steps @ (middle[1], middle[0], 0)
        return np.diag([-1.0, -1.0, 1.0, 1.0]) @ matrix


def place_of(position: NDArray[np.floating], directions: NDArray[np.floating], thickness: float | None) -> Place | None:
    """Make a place of what a file says, or none where its directions are not those of a slice.

    Parameters
    ----------
    position
        (3,) of the centre.
    directions
        (3, 3): along rows, along columns, and through the slice.
    thickness
        Of the slice, in millimetres.
    """
    directions = np.asarray(directions, dtype=np.float64)
    if not (np.isfinite(position).all() and np.isfinite(directions).all()):
        return None
    if not np.allclose(directions @ directions.T, np.eye(3), atol=1e-3):  # rounding of four digits in some headers
        return None
    down, across, through = (_vector(direction) for direction in directions)
    return Place(_vector(position), down, across, through, thickness)


def _vector(values: NDArray[np.floating]) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])
