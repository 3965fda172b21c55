"""The Shepp-Logan phantom, a head of ellipses, and a smooth phase for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# added intensity, half axes (rows, columns), centre (row, column), rotation in degrees; the field of view is [-1, 1]^2
_ELLIPSES = (
    (1.00, 0.92, 0.69, 0.0000, 0.00, 0),
    (-0.72, 0.874, 0.6624, 0.0184, 0.00, 0),
    (0.42, 0.80, 0.59, 0.02, 0.00, 0),
    (-0.45, 0.31, 0.11, 0.00, 0.22, -18),
    (-0.45, 0.41, 0.16, 0.00, -0.22, 18),
    (0.20, 0.25, 0.21, -0.35, 0.00, 0),
    (0.18, 0.046, 0.046, -0.10, 0.00, 0),
    (0.18, 0.046, 0.046, 0.10, 0.00, 0),
    (0.25, 0.023, 0.046, 0.605, -0.08, 0),
    (0.25, 0.023, 0.023, 0.606, 0.00, 0),
    (0.25, 0.046, 0.023, 0.605, 0.06, 0),
)
_SUPERSAMPLING = 4  # sub-pixels a side, averaged against jagged edges; the time to draw grows with its square
_PHASE_SPREAD = 0.7  # radians: standard deviation of each coefficient; larger ones would turn the phase several times


def shepp_logan(shape: tuple[int, int]) -> NDArray[np.float32]:
    """Draw the magnitude phantom, anti-aliased, with values from 0 to 1."""
    rows, columns = (_fine_grid(count) for count in shape)
    image = np.zeros((rows.size, columns.size), dtype=np.float32)
    for value, half_rows, half_columns, row, column, degrees in _ELLIPSES:
        angle = np.deg2rad(degrees)
        down, across = rows[:, None] - row, columns[None, :] - column
        along = down * np.cos(angle) + across * np.sin(angle)
        beside = across * np.cos(angle) - down * np.sin(angle)
        image[(along / half_rows) ** 2 + (beside / half_columns) ** 2 <= 1] += value
    coarse = image.reshape(shape[0], _SUPERSAMPLING, shape[1], _SUPERSAMPLING).mean(axis=(1, 3))
    return np.clip(coarse, 0, 1).astype(np.float32)


def _fine_grid(count: int) -> NDArray[np.float64]:
    fine = count * _SUPERSAMPLING
    return (np.arange(fine) + 0.5) / fine * 2 - 1


def smooth_phase(shape: tuple[int, int], generator: np.random.Generator) -> NDArray[np.float32]:
    """Draw a random quadratic phase in radians, such as an imperfect shim leaves behind."""
    rows, columns = (np.linspace(-1, 1, count) for count in shape)
    down, across = rows[:, None], columns[None, :]
    terms = (np.ones((1, 1)), down, across, down * across, down**2, across**2)
    weights = generator.normal(0, _PHASE_SPREAD, len(terms))
    phase = sum(weight * term for weight, term in zip(weights, terms, strict=True))
    return np.broadcast_to(phase, shape).astype(np.float32)
