"""Gaussian-mixture experts of one variable, evaluated exactly: potentials and their derivatives."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.projections import mirrored

_STUDENT_T = 500.0  # half of the authors' alpha = 1000: potentials begin with half their weight within 0.045 of zero


def means(configuration: PriorConfiguration, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Means mu_i shared by all potentials, shape (components,)."""
    bound = configuration.bound
    return torch.linspace(-bound, bound, configuration.components, dtype=dtype, device=device)


def filter_weights(configuration: PriorConfiguration, half: Tensor) -> Tensor:
    """Mixture weights of every filter, shape (filters, components), from the stored half (potentials, half)."""
    return mirrored(half)[list(configuration.assignment)]


def initial_weights(configuration: PriorConfiguration) -> Tensor:
    """Weights shaped like a Student-t density, the same for all potentials; stored half."""
    positions = means(configuration, torch.float64, torch.device("cpu"))
    weights = 1 / (1 + _STUDENT_T * positions**2)
    weights = weights / weights.sum()
    half = weights[configuration.components // 2 :]
    return half.expand(configuration.shapes["weights"]).float().clone()


def _exponents(u: Tensor, weights: Tensor, positions: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
    """Differences u - mu_i and log(w_i) - (u - mu_i)^2 / (2 sigma_k^2), with components in a new last axis."""
    differences = u.unsqueeze(-1) - positions
    return differences, weights.log() - differences**2 / (2 * variance)


def potential(u: Tensor, weights: Tensor, positions: Tensor, variance: Tensor) -> Tensor:
    """Negative log density -log psi_k(u) of one filter's mixture, elementwise.

    Parameters
    ----------
    u
        Filter responses, any shape.
    weights, positions
        Mixture weights w_i and means mu_i, (components,).
    variance
        sigma_k^2 at this noise level, one number.
    """
    _, exponents = _exponents(u, weights, positions, variance)
    return 0.5 * (math.log(2 * math.pi) + variance.log()) - exponents.logsumexp(-1)


def activation(u: Tensor, weights: Tensor, positions: Tensor, variance: Tensor) -> Tensor:
    """Return the derivative of `potential`: (u - mu_i) / sigma_k^2 weighted by responsibilities, elementwise."""
    differences, exponents = _exponents(u, weights, positions, variance)
    return (exponents.softmax(-1) * differences).sum(-1) / variance
