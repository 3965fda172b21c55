"""Names for NumPy array types, the shape of an array in words, and the value that is shown as white."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatImage = NDArray[np.float32]
"""Magnitude images (..., rows, columns), as they are stored and shown."""

DoubleImage = NDArray[np.float64]
"""The same while they are summed up or compared."""

ComplexImage = NDArray[np.complex64]
"""Complex images, coil images or k-space (..., rows, columns)."""

Singles = NDArray[np.float32]
"""Numbers of any shape in single precision, for compiled loops."""

Doubles = NDArray[np.float64]
"""Numbers of any shape in double precision."""

_WHITE_PERCENTILE = 99.8  # of the pixels; a few bright ones, such as fat near a coil, shall not darken the rest


def shapes(array: Any) -> str:
    """Write the shape of an array as people do: ``8 x 224 x 224``."""
    return " x ".join(str(size) for size in array.shape)


def white_of(image: NDArray[np.floating]) -> float:
    """Give the intensity of an image that is shown as white; 1 for an image of zeros."""
    return float(np.percentile(image, _WHITE_PERCENTILE)) or 1.0
