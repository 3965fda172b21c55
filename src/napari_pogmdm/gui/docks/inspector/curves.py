"""The curves of a prior: potentials, their derivatives, and how the variances follow the noise level; no Qt in here."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from napari_pogmdm.arrays import Doubles
from napari_pogmdm.prior.model import Prior

POINTS = 241  # of a curve: about two a pixel where it is drawn; odd, so that zero is among them
_DEEP_ENOUGH = 0.1  # nats; shallower minima are ripples between two components
_SLOW_AND_FAST_BETWEEN = (0.0, 0.2)  # sigma: from none to the largest of the paper's levels


def response_grid(bound: float, points: int = POINTS) -> Doubles:
    """Responses at which curves are drawn: symmetric, with zero among them."""
    return np.linspace(-bound, bound, points)


def potentials(prior: Prior, grid: Doubles, sigma: float) -> Doubles:
    """Potentials -log psi_k(., t), each with its lowest value on the grid taken as zero: (filters, points)."""
    values: Doubles = prior.potentials(torch.from_numpy(grid), sigma).numpy()
    return values - values.min(axis=1, keepdims=True)


def quick_potentials(prior: Prior, grid: Doubles, sigma: float) -> Doubles:
    """Integrate the table that the score uses: the same curves to a thousandth, and ten times as fast.

    During a run the sampler has made the table of its noise level already.
    """
    table = prior.table(sigma)
    slopes = table.values
    areas = np.cumsum((slopes[:, 1:] + slopes[:, :-1]) / 2, axis=1) * table.steps[:, None]
    integrals = np.concatenate([np.zeros((len(areas), 1)), areas], axis=1)
    nodes, places = np.arange(slopes.shape[1]), np.abs(grid)
    rows = [np.interp(places / step, nodes, row) for step, row in zip(table.steps, integrals, strict=True)]
    values = np.stack(rows)
    return values - values.min(axis=1, keepdims=True)


def derivatives(prior: Prior, grid: Doubles, sigma: float) -> Doubles:
    """Differentiate the potentials, by the table that the score uses: (filters, points)."""
    table = prior.table(sigma)
    nodes = np.arange(table.values.shape[1])
    rows = [
        np.interp(np.abs(grid) / step, nodes, values) * np.sign(grid)
        for step, values in zip(table.steps, table.values, strict=True)
    ]
    return np.stack(rows)


def conditioning(prior: Prior, levels: Doubles) -> Doubles:
    """Variances sigma_k^2(t) of all experts at noise levels sigma: (filters, levels)."""
    return np.stack([prior.variances(float(level)).numpy() for level in levels], axis=1)


def slow_and_fast(prior: Prior) -> tuple[int, int]:
    """Find the filters whose variance grows least and most between sigma = 0 and 0.2."""
    first, last = conditioning(prior, np.array(_SLOW_AND_FAST_BETWEEN)).T
    growth = last - first
    return int(growth.argmin()), int(growth.argmax())


def minima(curve: NDArray[np.floating], depth: float = _DEEP_ENOUGH) -> list[int]:
    """Find the inner local minima of a curve, as indices, at least ``depth`` nats below the hills beside them."""
    found: list[int] = []
    low, high, rising = 0, 0, False
    for index in range(1, len(curve)):
        if rising:
            if curve[index] > curve[high]:
                high = index
            elif curve[index] < curve[high] - depth:
                rising, low = False, index
        elif curve[index] < curve[low]:
            low = index
        elif curve[index] > curve[low] + depth:
            if low > 0:
                found.append(low)
            rising, high = True, index
    return found
