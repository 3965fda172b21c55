"""The middle of k-space: indices of its central lines (ACS), by fastMRI's rounding, and how much of it is complete."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def central(count: int, width: int) -> slice:
    """Return the ``width`` indices in the middle of ``count``; blocks of growing width contain each other."""
    start = (count - width + 1) // 2
    return slice(start, start + width)


def full_centre(samples: NDArray[np.bool_]) -> tuple[int, int]:
    """Rows and columns of the largest block of true in the middle; (0, 0) if the very middle is missing."""
    rows, columns = samples.shape
    full = np.ones(rows, dtype=bool)
    height, best = rows, (0, 0)
    for width in range(1, columns + 1):
        block = central(columns, width)
        full &= samples[:, block.start] & samples[:, block.stop - 1]  # one of them is new
        while height and not full[central(rows, height)].all():
            height -= 1
        if height * width > best[0] * best[1]:
            best = (height, width)
    return best
