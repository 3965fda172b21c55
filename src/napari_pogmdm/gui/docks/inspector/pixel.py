"""One pixel through the eyes of a model; no Qt in here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from napari_pogmdm.arrays import Doubles
from napari_pogmdm.gui.docks.inspector.responses import Analysis


@dataclass(frozen=True, eq=False)
class PixelReading:
    """What the model says at a pixel.

    Attributes
    ----------
    row, column
        Where it lies.
    value
        Of the image there, where the data's maximum is one.
    responses
        (filters,) of all filters centred there.
    pulls
        (filters,) What each filter contributes to the score there.
    score
        Their sum: how log p changes with this pixel's value.
    step
        sigma^2 times the score: how far Tweedie's formula moves this pixel.
    """

    row: int
    column: int
    value: float
    responses: Doubles
    pulls: Doubles
    score: float
    step: float


def pixel_at(coordinates: Sequence[float], shape: tuple[int, int]) -> tuple[int, int] | None:
    """Find the pixel that covers data coordinates (pixel centres are whole numbers); ``None`` outside the image."""
    if not np.isfinite(coordinates[-2:]).all():
        return None
    row, column = (int(np.floor(value + 0.5)) for value in coordinates[-2:])
    return (row, column) if 0 <= row < shape[0] and 0 <= column < shape[1] else None


def read_pixel(analysis: Analysis, row: int, column: int) -> PixelReading:
    """Read what the model says at a pixel."""
    pulls = analysis.pulls[:, row, column].astype(np.float64)
    score = float(pulls.sum())
    return PixelReading(
        row,
        column,
        float(analysis.image[row, column]),
        analysis.responses[:, row, column].astype(np.float64),
        pulls,
        score,
        analysis.sigma**2 * score,
    )
