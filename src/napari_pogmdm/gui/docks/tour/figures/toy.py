"""A distribution of images of two pixels, small enough to be drawn: its density, score and estimates; no Qt in here."""

from __future__ import annotations

import numpy as np

from napari_pogmdm.arrays import Doubles

CENTRES = np.array([[0.25, 0.3], [0.75, 0.75], [0.8, 0.2]])
"""(kinds, 2) Three kinds of "images", as values of their first and second pixel."""
WEIGHTS = np.array([0.4, 0.4, 0.2])
"""(kinds,) How often each occurs."""
SPREAD = 0.05  # standard deviation of a pixel within a kind


def drawn(count: int, seed: int = 0) -> Doubles:
    """Draw images (count, 2) from the distribution without noise."""
    generator = np.random.default_rng(seed)
    kinds = generator.choice(len(WEIGHTS), count, p=WEIGHTS)
    return CENTRES[kinds] + SPREAD * generator.standard_normal((count, 2))


def density(points: Doubles, sigma: float) -> Doubles:
    """Density at points (n, 2) after noise of a level was added, up to a constant; shape (n,)."""
    logarithms, variance = _logarithms(points, sigma)
    return np.exp(logarithms).sum(axis=1) / variance


def score(points: Doubles, sigma: float) -> Doubles:
    """Score at points (n, 2): the gradient of the logarithm of the density; shape (n, 2)."""
    logarithms, variance = _logarithms(points, sigma)
    shares = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return (shares @ CENTRES - points) / variance


def estimate(points: Doubles, sigma: float) -> Doubles:
    """Tweedie's estimate of the images under the noise, x + sigma^2 score; shape (n, 2)."""
    return points + sigma**2 * score(points, sigma)


def mean() -> Doubles:
    """Mean of the distribution, shape (2,)."""
    return WEIGHTS @ CENTRES


def _logarithms(points: Doubles, sigma: float) -> tuple[Doubles, float]:
    variance = SPREAD**2 + sigma**2
    squares = np.square(points[:, None] - CENTRES).sum(axis=2)
    return np.log(WEIGHTS) - squares / (2 * variance), variance
