"""Euclidean projections onto the constraints of the learned parameters, applied after every optimiser step."""

from __future__ import annotations

import torch
from torch import Tensor

SMALLEST_WEIGHT = 1e-14  # of a mixture component, as in the authors' code: at 0 its logarithm would be infinite
SMALLEST_SCALE = 1e-6  # of the softplus rule; a negative one would take variances below sigma_0^2, and below zero


def onto_simplex(vectors: Tensor) -> Tensor:
    """Project along the last axis onto {w >= 0, sum w = 1}."""
    ordered = vectors.sort(dim=-1, descending=True).values
    counts = torch.arange(1, vectors.shape[-1] + 1, dtype=vectors.dtype, device=vectors.device)
    threshold = ((ordered.cumsum(-1) - 1) / counts).amax(-1, keepdim=True)
    return (vectors - threshold).clamp_min(0)


def mirrored(half: Tensor) -> Tensor:
    """Unfold (..., centre and right half) into the symmetric vector it stands for."""
    return torch.cat([half[..., 1:].flip(-1), half], dim=-1)


def onto_symmetric_simplex(half: Tensor) -> Tensor:
    """Project half weights so that the mirrored vector lies on the simplex, and keep every weight positive."""
    full = onto_simplex(mirrored(half.double())).clamp_min(SMALLEST_WEIGHT)
    return full[..., full.shape[-1] // 2 :].to(half.dtype)


def onto_zero_mean(filters: Tensor) -> Tensor:
    """Subtract each filter's mean over its last two axes."""
    return filters - filters.mean(dim=(-2, -1), keepdim=True)


def onto_unit_sum(taps: Tensor) -> Tensor:
    """Shift taps so that they sum to one (the low-pass h1)."""
    return taps - (taps.sum() - 1) / taps.numel()


def onto_unit_l1_sphere(fan: Tensor) -> Tensor:
    """Shrink the fan filter P onto the sphere of unit l1 norm."""
    magnitudes = onto_simplex(fan.abs().flatten()).reshape(fan.shape)
    return fan.sign() * magnitudes


def project(name: str, values: Tensor) -> Tensor:
    """Project the parameter of that name onto its constraint; unconstrained ones come back as they are."""
    match name:
        case "weights":
            return onto_symmetric_simplex(values)
        case "filters":
            return onto_zero_mean(values)
        case "low_pass":
            return onto_unit_sum(values)
        case "fan":
            return onto_unit_l1_sphere(values)
        case "time.scale":
            return values.clamp_min(SMALLEST_SCALE)
    return values
