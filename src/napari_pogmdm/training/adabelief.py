"""The AdaBelief optimiser with one step size per constrained block, followed by its projection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from napari_pogmdm.prior.projections import project

FIRST_DECAY = 0.9  # of the mean gradient, over ten steps; AdaBelief's default, as is the next
SECOND_DECAY = 0.999  # of the mean square surprise, over a thousand steps
EPSILON = 1e-16  # AdaBelief's default; it keeps the division finite where a gradient does not vary

_BLOCK_AXES: Mapping[str, tuple[int, ...]] = {"weights": (-1,), "filters": (-2, -1), "low_pass": (0,), "fan": (0, 1)}
"""Axes over which a constrained parameter shares its second moment: one block per potential, filter or generator."""


@dataclass
class GradientMoments:
    """Running moments of one parameter's gradient.

    Attributes
    ----------
    first
        Mean of the gradient, of the parameter's shape.
    second
        Mean squared surprise, one number a block of a constrained parameter.
    """

    first: Tensor
    second: Tensor


def initial_moments(parameters: Mapping[str, Tensor]) -> dict[str, GradientMoments]:
    """Zero moments; the second one is reduced over the blocks of constrained parameters."""
    moments = {}
    for name, values in parameters.items():
        axes = _BLOCK_AXES.get(name, ())
        second = torch.zeros_like(values).sum(axes, keepdim=True) if axes else torch.zeros_like(values)
        moments[name] = GradientMoments(torch.zeros_like(values), second)
    return moments


def step(name: str, values: Tensor, gradient: Tensor, moments: GradientMoments, rate: float, iteration: int) -> None:
    """Update one parameter in place, and project it onto its constraint.

    AdaBelief divides by the square root of an average of (g - m)^2, how much a gradient surprises. Here this is summed
    over each constrained block: so a block moves along its gradient, not along a rescaled one, and the Euclidean
    projection that follows is the right one. Rates are therefore smaller in effect than element by element.

    Parameters
    ----------
    name
        Of the parameter; decides its blocks and its constraint.
    values
        Of the parameter; changed.
    gradient
        Of the loss, like ``values``.
    moments
        Of the gradients so far; changed.
    rate
        Learning rate.
    iteration
        Counted from one, for the bias correction.
    """
    axes = _BLOCK_AXES.get(name, ())
    moments.first.lerp_(gradient, 1 - FIRST_DECAY)
    surprise = (gradient - moments.first).square()
    if axes:
        surprise = surprise.sum(axes, keepdim=True)
    moments.second.lerp_(surprise, 1 - SECOND_DECAY)
    denominator = (moments.second + EPSILON).sqrt() / (1 - SECOND_DECAY**iteration) ** 0.5 + EPSILON
    values.sub_(rate / (1 - FIRST_DECAY**iteration) * moments.first / denominator)
    values.copy_(project(name, values))
