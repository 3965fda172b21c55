"""Training losses: denoising score matching on the tabulated score, with its gradients.

The compiled step computes the loss and all gradients in one sweep, so the autograd functions here only carry them:
the gradient reaches the filters (or spectra), the mixture weights and the variances, and autograd goes on from there
to the shearlet generators and the time conditioning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.prior.scores.table import Table, build_table
from napari_pogmdm.prior.scores.table_kernels import table_gradients
from napari_pogmdm.training.local_kernels import patch_loss_and_gradients
from napari_pogmdm.training.spectral_step import spectral_patch

TRAINING_DENSITY = 8
"""Nodes per sigma_k: half of `table.DENSITY`, and half the time; the error is four times as large, some thousandths."""


@dataclass(frozen=True)
class Batch:
    """Noisy patches, each at its own noise level.

    Attributes
    ----------
    noisy
        x_t = x_0 + sigma z, (patches, size, size) float32.
    noise
        z, standard normal, like ``noisy``.
    sigma
        sqrt(2t), (patches,) float32.
    importance
        Weight of each patch in the loss, (patches,) float32, summing to one for a plain mean.
    """

    noisy: NDArray[np.float32]
    noise: NDArray[np.float32]
    sigma: NDArray[np.float32]
    importance: NDArray[np.float32]


class MixtureGradients:
    """Collects the gradients of weights and variances, level by level.

    Parameters
    ----------
    weights
        Of the mixtures, (filters, components).
    variances
        sigma_k^2 of every level, (levels, filters).
    bound
        Largest mean of the mixtures.
    density
        Nodes per sigma_k of the tables.
    """

    def __init__(self, weights: Tensor, variances: Tensor, bound: float, density: int) -> None:
        self.weights = weights.detach().double().numpy()
        self.variances = variances.detach().double().numpy()
        self.bound = bound
        self.density = density
        self.weight_gradient = np.zeros_like(self.weights)
        self.variance_gradient = np.zeros_like(self.variances)

    def table(self, level: int, spreads: NDArray[np.float64]) -> Table:
        """Tabulate one patch's noise level."""
        return build_table(self.weights, self.variances[level], spreads, self.bound, self.density)

    def pull_back(self, level: int, table: Table, nodes: NDArray[np.float64]) -> None:
        """Carry the gradient of the table's nodes on to weights and variances."""
        table_gradients(
            self.weights,
            self.variances[level],
            table.steps,
            self.bound,
            table.values,
            nodes,
            self.weight_gradient,
            self.variance_gradient[level],
        )


class _LocalLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, filters: Tensor, weights: Tensor, variances: Tensor, batch: Batch, bound: float, density: int
    ) -> Tensor:
        kernels = filters.detach().float().contiguous().numpy()
        norms = np.sqrt((kernels.astype(np.float64) ** 2).sum(axis=(1, 2)))
        mixture = MixtureGradients(weights, variances, bound, density)
        filter_gradient = np.zeros(kernels.shape)
        loss = 0.0
        for level, sigma in enumerate(batch.sigma):
            table = mixture.table(level, norms * float(sigma))
            nodes = np.zeros_like(table.values)
            loss += patch_loss_and_gradients(
                batch.noisy[level],
                batch.noise[level],
                sigma,
                batch.importance[level],
                kernels,
                table.cells,
                table.inverse_steps,
                filter_gradient,
                nodes,
            )
            mixture.pull_back(level, table, nodes)
        _keep(ctx, (filter_gradient, mixture.weight_gradient, mixture.variance_gradient), (filters, weights, variances))
        return torch.tensor(loss, dtype=filters.dtype)

    @staticmethod
    def backward(ctx: Any, *outputs: Tensor) -> tuple[Tensor | None, ...]:
        return (*(outputs[0] * gradient for gradient in ctx.saved_tensors), None, None, None)


class _SpectralLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        spectra: Tensor,
        weights: Tensor,
        variances: Tensor,
        batch: Batch,
        bound: float,
        density: int,
        margin: int,
    ) -> Tensor:
        half = spectra.detach()
        width = batch.noisy.shape[-1]
        doubled = torch.full((half.shape[-1],), 2.0)
        doubled[0] = 1.0
        if width % 2 == 0:
            doubled[-1] = 1.0
        pixels = batch.noisy.shape[-2] * width
        norms = ((half.real**2 + half.imag**2) * doubled).sum((1, 2)).div(pixels).sqrt().double().numpy()
        mixture = MixtureGradients(weights, variances, bound, density)
        gradient = torch.zeros_like(half)
        loss = 0.0
        for level, sigma in enumerate(batch.sigma):
            table = mixture.table(level, norms * float(sigma))
            nodes = np.zeros_like(table.values)
            loss += spectral_patch(
                torch.from_numpy(batch.noisy[level]),
                torch.from_numpy(batch.noise[level]),
                float(sigma),
                float(batch.importance[level]),
                half,
                table,
                margin,
                gradient,
                nodes,
            )
            mixture.pull_back(level, table, nodes)
        gradient *= doubled / pixels
        ctx.save_for_backward(
            gradient,
            torch.from_numpy(mixture.weight_gradient).to(weights.dtype),
            torch.from_numpy(mixture.variance_gradient).to(variances.dtype),
        )
        return torch.tensor(loss, dtype=weights.dtype)

    @staticmethod
    def backward(ctx: Any, *outputs: Tensor) -> tuple[Tensor | None, ...]:
        return (*(outputs[0] * gradient for gradient in ctx.saved_tensors), None, None, None, None)


def _keep(ctx: Any, gradients: tuple[NDArray[np.float64], ...], inputs: tuple[Tensor, ...]) -> None:
    ctx.save_for_backward(*(torch.from_numpy(g).to(tensor.dtype) for g, tensor in zip(gradients, inputs, strict=True)))


def local_loss(
    filters: Tensor, weights: Tensor, variances: Tensor, batch: Batch, bound: float, density: int = TRAINING_DENSITY
) -> Tensor:
    """Loss ``sum_b importance_b mean((sigma_b score + z_b)^2)`` for small filters.

    Parameters
    ----------
    filters
        (filters, taps, taps).
    weights
        Of the mixtures, (filters, components).
    variances
        sigma_k^2 at each patch's noise level, (patches, filters).
    batch
        Noisy patches.
    bound
        Largest mean of the mixtures.
    density
        Nodes per sigma_k of the tables.
    """
    result: Tensor = _LocalLoss.apply(filters, weights, variances, batch, bound, density)  # type: ignore[no-untyped-call]
    return result


def spectral_loss(
    spectra: Tensor,
    weights: Tensor,
    variances: Tensor,
    batch: Batch,
    bound: float,
    margin: int,
    density: int = TRAINING_DENSITY,
) -> Tensor:
    """Do the same for filters given by their spectra on the patch; patches are circular here.

    Parameters
    ----------
    spectra
        Half-plane spectra, (filters, size, size // 2 + 1).
    weights
        Of the mixtures, (filters, components).
    variances
        sigma_k^2 at each patch's noise level, (patches, filters).
    batch
        Noisy patches.
    bound
        Largest mean of the mixtures.
    margin
        Pixels at each border that stay out of the loss.
    density
        Nodes per sigma_k of the tables.
    """
    result: Tensor = _SpectralLoss.apply(  # type: ignore[no-untyped-call]
        spectra, weights, variances, batch, bound, density, margin
    )
    return result
