"""What a model makes of one image at one noise level: responses, their marginals, and each filter's pull; no Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from napari_pogmdm.arrays import Doubles, Singles
from napari_pogmdm.errors import Cancelled
from napari_pogmdm.prior.model import Prior

FAIR_SHARE = 0.2
"""A filter that brings less than this part of an even share of the score may count as switched off ..."""
FLAT = 0.1
"""... if its potential also varies by less than this, in nats, over the responses that occur."""
OCCURRING = 0.99
"""Share of the responses, the smallest ones, that counts as occurring."""
_NEARLY_ALL = 0.999  # share of the responses that axes reach to when they are zoomed to the data
_GRID_POINTS = 201  # at which a potential is looked at from zero to the largest response that occurs


@dataclass(frozen=True, eq=False)
class Analysis:
    """What a model makes of an image.

    Attributes
    ----------
    prior
        The model.
    sigma
        Noise level at which the model was asked.
    image
        (rows, columns) What it saw, in units in which the data's maximum is one.
    responses
        (filters, rows, columns) K_k x.
    pulls
        (filters, rows, columns) Contribution -K_k^T phi_k(K_k x) of each filter to the score.
    shares
        (filters,) Norm of each contribution relative to the sum of all norms.
    variations
        (filters,) Nats by which each potential varies over the responses that occur.
    off
        (filters,) Whether the model has switched the filter off at this noise level, by `switched_off`.
    centres, densities
        (bins,) and (filters, bins) Empirical marginals of the responses, as `marginals` counts them.
    reach
        Size that nearly no response of any filter exceeds.
    """

    prior: Prior
    sigma: float
    image: Singles
    responses: Singles
    pulls: Singles
    shares: Doubles
    variations: Doubles
    off: NDArray[np.bool_]
    centres: Doubles
    densities: Doubles
    reach: float

    @property
    def score(self) -> Singles:
        """(rows, columns) The score, which is the sum of all pulls."""
        return self.pulls.sum(axis=0)


def diffused(image: Singles, sigma: float, seed: int = 0) -> Singles:
    """Add the noise of a level to a clean image, always the same: x_t = x_0 + sigma z."""
    noise = np.random.default_rng(seed).standard_normal(image.shape, dtype=np.float32)
    return image + np.float32(sigma) * noise


def analyse(prior: Prior, image: Singles, sigma: float, cancelled: Callable[[], bool] = lambda: False) -> Analysis:
    """Ask a model about an image.

    Parameters
    ----------
    prior
        The model.
    image
        (rows, columns), where the data's maximum is one.
    sigma
        Noise level to ask at.
    cancelled
        Asked between two filters.

    Raises
    ------
    Cancelled
        If ``cancelled`` says so between two filters.
    """
    x = torch.from_numpy(np.ascontiguousarray(image, dtype=np.float32))
    responses = prior.responses(x).numpy()
    pulls = np.empty_like(responses)
    for k in range(len(pulls)):
        if cancelled():
            raise Cancelled
        pulls[k] = prior.contribution(x, sigma, k).numpy()
    norms = np.sqrt(np.square(pulls, dtype=np.float64).sum(axis=(1, 2)))
    shares = norms / (norms.sum() or 1.0)
    variations = potential_variations(prior, responses, sigma)
    centres, densities = marginals(responses, prior.configuration.bound, prior.configuration.components)
    reach = float(np.quantile(np.abs(responses.reshape(len(responses), -1)), _NEARLY_ALL, axis=1).max())
    off = switched_off(shares, variations)
    return Analysis(
        prior, float(sigma), x.numpy(), responses, pulls, shares, variations, off, centres, densities, reach
    )


def potential_variations(prior: Prior, responses: Singles, sigma: float) -> Doubles:
    """Nats between highest and lowest value of each potential over the responses that occur, shape (filters,)."""
    reach = np.quantile(np.abs(responses.reshape(len(responses), -1)), OCCURRING, axis=1)
    grid = torch.linspace(0, max(float(reach.max()), 1e-6), _GRID_POINTS, dtype=torch.float64)
    values = prior.potentials(grid, sigma).numpy()
    inside = [row[grid.numpy() <= max(limit, float(grid[1]))] for row, limit in zip(values, reach, strict=True)]
    return np.array([np.ptp(row) for row in inside])


def switched_off(shares: Doubles, variations: Doubles) -> NDArray[np.bool_]:
    """Tell which filters are switched off: nearly flat potential, and nearly no part in the score.

    A flat potential alone multiplies the density by a constant; the score's share makes sure that a narrow kink at
    zero, where most responses lie, does not hide in a small range.
    """
    return np.asarray((shares < FAIR_SHARE / len(shares)) & (variations < FLAT))


def marginals(responses: Singles, bound: float, bins: int) -> tuple[Doubles, Doubles]:
    """Count the responses of every filter in bins around equispaced centres on [-bound, bound].

    Parameters
    ----------
    responses
        (filters, rows, columns).
    bound, bins
        Outermost centre, and how many there are.

    Returns
    -------
    centres
        (bins,)
    densities
        (filters, bins) Share of the responses in each bin; responses beyond the bound count in the outermost bins, so
        that each row sums to one.
    """
    centres = np.linspace(-bound, bound, bins)
    spacing = 2 * bound / (bins - 1)
    flat = responses.reshape(len(responses), -1)
    places = np.clip(np.rint((flat + bound) / spacing), 0, bins - 1).astype(np.intp)
    counts = np.stack([np.bincount(row, minlength=bins) for row in places])
    return centres, counts / flat.shape[1]


def as_potentials(densities: Doubles) -> Doubles:
    """Negative logarithm of marginals, lowest value zero as potentials are drawn; NaN where nothing was counted."""
    with np.errstate(divide="ignore"):
        heights = -np.log(densities)
    heights[~np.isfinite(heights)] = np.nan
    return heights - np.nanmin(heights, axis=1, keepdims=True)
