"""Losses of rivals: how their image is compared with its reference."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor

from napari_pogmdm.training.rivals.settings import Loss

_WINDOW = 7  # pixels a side, as in fastMRI's loss and evaluation
_STABLE = (0.01, 0.03)  # SSIM's constants, as everybody has them


def image_loss(image: Tensor, target: Tensor, loss: Loss) -> Tensor:
    """Compare magnitudes (rows, columns), in units of the target's largest value."""
    largest = target.max().clamp_min(torch.finfo(target.dtype).tiny)
    if loss is Loss.L1:
        return (image - target).abs().mean() / largest
    if loss is Loss.RMS:
        return (image - target).square().mean().sqrt() / largest
    return 1 - structural_similarity(image / largest, target / largest)


def structural_similarity(image: Tensor, target: Tensor) -> Tensor:
    """Mean SSIM of two images (rows, columns) with a data range of 1, differentiable."""
    first, second = (_STABLE[0] ** 2, _STABLE[1] ** 2)
    stack = torch.stack([image, target, image * image, target * target, image * target])
    means = functional.avg_pool2d(stack[:, None], _WINDOW, stride=1)[:, 0]
    unbiased = _WINDOW**2 / (_WINDOW**2 - 1)
    x, y = means[0], means[1]
    spread_x, spread_y = unbiased * (means[2] - x * x), unbiased * (means[3] - y * y)
    shared = unbiased * (means[4] - x * y)
    similar = (2 * x * y + first) * (2 * shared + second)
    return (similar / ((x * x + y * y + first) * (spread_x + spread_y + second))).mean()
