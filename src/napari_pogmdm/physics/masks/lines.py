"""Masks of whole phase-encoding lines: random and equispaced, with a fully sampled centre.

Each rule returns a 1-D bool array over ``count`` lines, ``low`` of which are the central ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.physics.masks.centre import central

Lines = NDArray[np.bool_]
_KEPT_SIDE = 5 / 8  # of k-space: the most that scanners usually leave out is three eighths


def central_lines(count: int, low: int) -> Lines:
    """Mark the ``low`` lines in the middle, by fastMRI's rounding."""
    lines = np.zeros(count, dtype=bool)
    lines[central(count, low)] = True
    return lines


def random_lines(count: int, acceleration: float, low: int, seed: int) -> Lines:
    """Choose lines independently, with numpy's default generator: the paper's Cartesian masks."""
    return _chosen(count, acceleration, low, np.random.default_rng(seed).uniform(size=count))


def fastmri_random_lines(count: int, acceleration: float, low: int, seed: int) -> Lines:
    """Choose lines independently, by the random numbers of fastMRI's RandomMaskFunc for the same seed."""
    return _chosen(count, acceleration, low, _fastmri_generator(seed).uniform(size=count))


def _chosen(count: int, acceleration: float, low: int, uniform: NDArray[np.float64]) -> Lines:
    probability = (count / acceleration - low) / (count - low) if low < count else 0.0
    return central_lines(count, low) | (uniform < probability)


def fastmri_equispaced_lines(count: int, acceleration: float, low: int, seed: int) -> Lines:
    """Take every n-th line from a random start: fastMRI's EquiSpacedMaskFunc; the centre comes on top."""
    stride = round(acceleration)
    lines = central_lines(count, low)
    lines[_fastmri_generator(seed).randint(0, high=stride) :: stride] = True
    return lines


def fastmri_matched_lines(count: int, acceleration: float, low: int, seed: int) -> Lines:
    """Take nearly equispaced lines so many that the total hits the acceleration: EquispacedMaskFractionFunc."""
    stride = acceleration * (low - count) / (low * acceleration - count)
    lines = central_lines(count, low)
    start = _fastmri_generator(seed).randint(0, high=round(stride))
    lines[np.around(np.arange(start, count - 1, stride)).astype(int)] = True
    return lines


def partial_fourier_lines(count: int, acceleration: float, low: int, seed: int) -> Lines:
    """Leave out the lines of one side beyond the centre; if that is not enough, choose from the others at random.

    Five eighths of the lines are kept at least, as scanners do, or half of them and the centre if that is more.
    """
    wanted = count / acceleration
    side = max(round(wanted), round(_KEPT_SIDE * count), count // 2 + (low + 1) // 2)
    lines = central_lines(count, low)
    others = np.flatnonzero(~lines & (np.arange(count) >= count - side))
    more = min(max(round(wanted) - low, 0), others.size)
    lines[np.random.default_rng(seed).choice(others, more, replace=False)] = True
    return lines


def _fastmri_generator(seed: int) -> np.random.RandomState:
    # fastMRI draws an index among its accelerations first; with one to choose from this uses up no random number.
    return np.random.RandomState(seed)
