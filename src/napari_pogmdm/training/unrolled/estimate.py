"""Tweedie's estimate of small filters, with its gradients with respect to the image and to the prior."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.arrays import Singles
from napari_pogmdm.training.local_kernels import activation_sums, pull_back, strung
from napari_pogmdm.training.unrolled.tables import Level, LevelGradient


class _Estimate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, planes: Tensor, level: Level, gradient: LevelGradient) -> Tensor:
        images = planes.detach().contiguous().numpy()
        margin = level.filters.shape[1] - 1
        estimates, kept = np.empty_like(images), []
        for image, estimate in zip(images, estimates, strict=True):
            height, width = (extent + 2 * margin for extent in image.shape)
            flat = strung(np.pad(image, margin, mode="wrap"), margin)
            responses = np.empty((len(level.filters), (height - margin) * width), dtype=np.float32)
            sums = np.zeros_like(flat)
            table = level.table
            activation_sums(flat, width, level.filters, table.cells, table.inverse_steps, responses, sums)
            inner = sums[: height * width].reshape(height, width)[margin:-margin, margin:-margin]
            np.subtract(image, np.float32(level.sigma**2) * inner, out=estimate)
            kept.append((flat, responses))
        ctx.kept, ctx.level, ctx.gradient = kept, level, gradient
        return torch.from_numpy(estimates)

    @staticmethod
    def backward(ctx: Any, *outputs: Tensor) -> tuple[Tensor | None, ...]:
        level, table = ctx.level, ctx.level.table
        margin = level.filters.shape[1] - 1
        given = outputs[0].contiguous().numpy()
        pulled = np.empty_like(given)
        for image, target, (flat, responses) in zip(given, pulled, ctx.kept, strict=True):
            height, width = (extent + 2 * margin for extent in image.shape)
            residual = strung(np.pad(np.float32(-(level.sigma**2)) * image, margin), margin)
            onward = np.zeros_like(flat)
            pull_back(
                flat,
                residual,
                width,
                level.filters,
                table.cells,
                table.inverse_steps,
                responses,
                ctx.gradient.filters,
                ctx.gradient.nodes,
                onward,
            )
            folded = _folded(_folded(onward[: height * width].reshape(height, width), margin).T, margin).T
            np.add(image, folded, out=target)
        return torch.from_numpy(pulled), None, None


def _folded(extended: Singles, margin: int) -> Singles:
    """Add the first and last rows of what was continued periodically to the rows that they repeat."""
    inner = extended[margin:-margin].copy()
    inner[-margin:] += extended[:margin]
    inner[:margin] += extended[-margin:]
    return inner


def estimate(planes: Tensor, level: Level, gradient: LevelGradient) -> Tensor:
    """Compute x + sigma^2 score(x), differentiably.

    Parameters
    ----------
    planes
        Real images (planes, rows, columns), periodic at their borders.
    level
        The prior at its noise level.
    gradient
        Added to, when the result is differentiated.
    """
    result: Tensor = _Estimate.apply(planes, level, gradient)  # type: ignore[no-untyped-call]
    return result
