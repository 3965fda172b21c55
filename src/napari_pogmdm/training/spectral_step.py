"""Training step of shearlets: loss and gradients of one patch, by Fourier transforms."""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.arrays import Doubles, Singles
from napari_pogmdm.prior.scores.convolution_kernels import look_up
from napari_pogmdm.prior.scores.table import Table
from napari_pogmdm.runtime.compiled import compiled
from napari_pogmdm.training.local_kernels import spread


@compiled()
def _look_up_all(responses: Singles, cells: Singles, inverse_steps: Singles, out: Singles) -> None:
    for k in range(responses.shape[0]):
        look_up(responses[k], cells[k], inverse_steps[k], out[k])


@compiled()
def _spread_all(responses: Singles, pulled: Singles, cells: Singles, inverse_steps: Singles, nodes: Doubles) -> None:
    for k in range(responses.shape[0]):
        spread(responses[k], pulled[k], cells[k], inverse_steps[k], pulled[k], nodes[k])


def spectral_patch(
    noisy: Tensor,
    noise: Tensor,
    sigma: float,
    importance: float,
    spectra: Tensor,
    table: Table,
    margin: int,
    gradient: Tensor,
    nodes: Doubles,
) -> float:
    """Return one patch's loss and add its gradients.

    Parameters
    ----------
    noisy, noise
        x_t = x_0 + sigma z, and z, (height, width).
    sigma
        Noise standard deviation of this patch.
    importance
        Its weight in the loss.
    spectra
        Half-plane spectra of the filters, (filters, height, width // 2 + 1); responses are their circular correlations
        with the image.
    table
        Derivatives of the potentials at this patch's noise level.
    margin
        Pixels at each border that stay out of the loss.
    gradient
        Added to, like ``spectra``; per frequency, to be scaled by (multiplicity / pixels) when all patches are in.
    nodes
        Added to; gradient of the table, (filters, nodes).
    """
    shape = noisy.shape[-2:]
    conjugate = spectra.conj()
    image = torch.fft.rfft2(noisy)
    responses = torch.fft.irfft2(conjugate * image, s=shape)
    flat = responses.flatten(1).numpy()
    activations = torch.empty_like(responses)
    _look_up_all(flat, table.cells, table.inverse_steps, activations.flatten(1).numpy())
    activated = torch.fft.rfft2(activations)
    score = -torch.fft.irfft2((spectra * activated).sum(0), s=shape)

    inner = (slice(margin, shape[0] - margin), slice(margin, shape[1] - margin))
    error = sigma * score[inner] + noise[inner]
    scale = importance / error.numel()
    residual = torch.zeros_like(noisy)
    residual[inner] = 2.0 * scale * sigma * error

    backward = torch.fft.rfft2(residual)
    pulled = torch.fft.irfft2(conjugate * backward, s=shape).neg_()
    _spread_all(flat, pulled.flatten(1).numpy(), table.cells, table.inverse_steps, nodes)
    gradient += torch.fft.rfft2(pulled).conj() * image - activated.conj() * backward
    return float(scale * (error.double() ** 2).sum())
