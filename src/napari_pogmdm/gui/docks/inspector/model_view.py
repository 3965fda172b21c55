"""All that the Inspector draws of a model and that depends on nothing but the model; no Qt in here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from napari_pogmdm.arrays import Doubles
from napari_pogmdm.gui.docks.inspector.curves import (
    conditioning,
    derivatives,
    potentials,
    response_grid,
    slow_and_fast,
)
from napari_pogmdm.prior.figures import PAPER_LEVELS
from napari_pogmdm.prior.model import Prior

SPECTRUM_SIZE = 32  # pixels a side, about as many as a cell shows
TIMES = np.concatenate([np.linspace(0, 0.25, 51), np.linspace(0.26, 1.0, 75)])
"""Noise levels sigma at which time conditioning is drawn; denser near zero."""
_SHOWN_ENERGY = 0.995  # share of a kernel's energy; the rest of a shearlet is too faint to be seen
_RULES = {
    "heat": "σ<sub>k</sub>²(t) = σ<sub>0</sub>² + ν<sub>k</sub>² σ², eq. (18)",
    "network": "σ<sub>k</sub>²(t) = σ<sub>0</sub>² + τ<sub>θ</sub>(t)<sub>k</sub>, a small network, eq. (25)",
    "softplus": "σ<sub>k</sub>²(t) = σ<sub>0</sub>² + θ<sub>1,k</sub> softplus(θ<sub>2,k</sub> σ + θ<sub>3,k</sub>), "
    "eqs. (29), (30)",
}


@dataclass(frozen=True, eq=False)
class ModelView:
    """A model prepared for drawing.

    Attributes
    ----------
    prior
        The model.
    grid
        (points,) Filter responses at which curves are drawn.
    potentials, slopes
        (levels, filters, points) At the paper's noise levels.
    variances
        (filters, times) sigma_k^2 at `TIMES`.
    kernels
        (filters, taps, taps) As shown: of shearlets only the middle, where nearly all of them lies.
    spectra
        (filters, size, size) Magnitudes, zero frequency in the middle.
    slow, fast
        The filters whose variance grows least and most.
    """

    prior: Prior
    grid: Doubles
    potentials: Doubles
    slopes: Doubles
    variances: Doubles
    kernels: Doubles
    spectra: Doubles
    slow: int
    fast: int

    @property
    def name(self) -> str:
        """What the model is called."""
        return self.prior.name

    @property
    def count(self) -> int:
        """Number of filters."""
        return self.prior.configuration.filters

    @property
    def rule(self) -> str:
        """Its time conditioning, as rich text with the equation of the paper."""
        return _RULES[self.prior.configuration.conditioning]


def view_of(prior: Prior) -> ModelView:
    """Prepare a model for drawing; takes some tens of milliseconds."""
    grid = response_grid(prior.configuration.bound)
    slow, fast = slow_and_fast(prior)
    spectra = torch.fft.fftshift(prior.spectra((SPECTRUM_SIZE, SPECTRUM_SIZE)).abs(), dim=(-2, -1))
    return ModelView(
        prior,
        grid,
        np.stack([potentials(prior, grid, level) for level in PAPER_LEVELS]),
        np.stack([derivatives(prior, grid, level) for level in PAPER_LEVELS]),
        conditioning(prior, TIMES),
        _middle(prior.filters.numpy()),
        spectra.numpy(),
        slow,
        fast,
    )


def comparability(first: ModelView, second: ModelView) -> str:
    """Say in one sentence how far two models can be compared filter by filter."""
    if first.count != second.count:
        return f"{second.count} filters, not {first.count}; filters with the same number do not correspond."
    if first.prior.configuration.family != second.prior.configuration.family:
        return "another kind of filters; filters with the same number do not correspond."
    return "filters with the same number need not correspond."


def _middle(kernels: Doubles) -> Doubles:
    """Cut kernels to the smallest odd square that holds nearly all energy of each, about the middle tap."""
    centre = kernels.shape[-1] // 2
    energy = np.square(kernels)
    whole = energy.sum(axis=(1, 2))
    for reach in range(2, centre):
        window = slice(centre - reach, centre + reach + 1)
        if (energy[:, window, window].sum(axis=(1, 2)) >= _SHOWN_ENERGY * whole).all():
            return kernels[:, window, window]
    return kernels
