"""The noise levels that a run walks down."""

from __future__ import annotations

import numpy as np


def noise_level(time: float, power: float = 5.0, largest: float = 10.0, smallest: float = 0.001) -> float:
    """Noise standard deviation zeta(t) = zeta_max (zeta_min / zeta_max)^((1 - t)^p), t in [0, 1]."""
    return float(largest * (smallest / largest) ** ((1.0 - time) ** power))


def noise_levels(
    count: int, start: float, power: float = 5.0, largest: float = 10.0, smallest: float = 0.001
) -> tuple[float, ...]:
    """Levels zeta_0, ..., zeta_i0 on the grid t_i = i / N, from the smallest up to the one at which a run starts.

    Parameters
    ----------
    count
        N, the number of steps of the whole schedule.
    start
        t_0: a run starts at i0 = round(t_0 N) and takes i0 iterations.
    power, largest, smallest
        p, zeta_max and zeta_min of `noise_level`.
    """
    first = max(1, round(start * count))
    return tuple(noise_level(index / count, power, largest, smallest) for index in range(first + 1))


def geometric_levels(count: int, largest: float, smallest: float) -> tuple[float, ...]:
    """``count`` levels in even ratios from the largest down to the smallest, which the end of the run repeats."""
    return (*(float(level) for level in np.geomspace(largest, smallest, count)), smallest)
