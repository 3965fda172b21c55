"""The inner product that real and complex images share."""

from __future__ import annotations

import torch
from torch import Tensor


def dot(first: Tensor, second: Tensor) -> Tensor:
    """Real part of the inner product over all entries: the one in which gradients are gradients."""
    return torch.vdot(first.flatten(), second.flatten()).real


def energy(image: Tensor) -> Tensor:
    """Squared norm over all entries."""
    return dot(image, image)
