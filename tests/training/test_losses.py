"""The compiled training steps against autograd through the exact mixture."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn.functional import conv2d, conv_transpose2d

from napari_pogmdm.prior.conditioning import variances
from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.experts import activation, filter_weights, initial_weights, means
from napari_pogmdm.prior.generators import initial_generators
from napari_pogmdm.prior.projections import onto_symmetric_simplex, onto_zero_mean
from napari_pogmdm.prior.shearlets import shearlet_spectra
from napari_pogmdm.training.losses import Batch, local_loss, spectral_loss


def make_batch(size: int, rng: np.random.Generator, levels: tuple[float, ...]) -> Batch:
    smooth = np.cumsum(np.cumsum(rng.standard_normal((len(levels), size, size)), -1), -2) / size
    noise = rng.standard_normal(smooth.shape).astype(np.float32)
    sigma = np.array(levels, dtype=np.float32)
    noisy = (smooth.astype(np.float32) + sigma[:, None, None] * noise).astype(np.float32)
    importance = np.array([0.7, 0.3], dtype=np.float32)[: len(levels)]
    return Batch(noisy, noise, sigma, importance)


def exact_activations(responses, weights, variance, configuration):
    positions = means(configuration, responses.dtype, responses.device)
    return torch.stack(
        [activation(responses[k], weights[k], positions, variance[k]) for k in range(responses.shape[0])]
    )


def rough_weights(configuration, generator):
    half = initial_weights(configuration).double()
    return onto_symmetric_simplex(half * (0.5 + torch.rand(half.shape, generator=generator, dtype=torch.float64)))


def relative(approximate, exact):
    return float((approximate - exact).norm() / exact.norm())


@pytest.mark.parametrize("taps", [3, 5])
def test_local_gradients_are_those_of_the_exact_score(taps: int) -> None:
    generator = torch.Generator().manual_seed(3)
    configuration = PriorConfiguration(filter_count=4, filter_size=taps)
    batch = make_batch(24, np.random.default_rng(5), (0.04, 0.3))
    filters = onto_zero_mean(torch.randn(4, taps, taps, generator=generator, dtype=torch.float64) * 0.2)
    filters.requires_grad_()
    half = rough_weights(configuration, generator).requires_grad_()
    gains = torch.fft.fft2(filters, s=(64, 64)).abs().amax((1, 2))
    spread = variances(configuration, {}, gains, torch.tensor(batch.sigma, dtype=torch.float64))
    weights = filter_weights(configuration, half)

    exact = torch.zeros((), dtype=torch.float64)
    for b in range(2):
        noisy = torch.tensor(batch.noisy[b], dtype=torch.float64)
        responses = conv2d(noisy[None, None], filters[:, None])[0]
        active = exact_activations(responses, weights, spread[b], configuration)
        inner = conv_transpose2d(active[None], filters[:, None])[0, 0]
        window = slice(taps - 1, 24 - taps + 1)
        error = torch.tensor(batch.noise[b])[window, window] - float(batch.sigma[b]) * inner[window, window]
        exact = exact + float(batch.importance[b]) * (error**2).mean()
    wanted = torch.autograd.grad(exact, [filters, half], retain_graph=True)

    fast = local_loss(filters, weights, spread, batch, configuration.bound, density=64)
    got = torch.autograd.grad(fast, [filters, half])
    assert fast.item() == pytest.approx(exact.item(), rel=1e-4)
    assert relative(got[0], wanted[0]) < 5e-3
    assert relative(got[1], wanted[1]) < 5e-3


@pytest.mark.slow
def test_spectral_gradients_are_those_of_the_exact_score() -> None:
    generator = torch.Generator().manual_seed(4)
    configuration = PriorConfiguration(family="shearlet", scales=1, sharing="both")
    batch = make_batch(128, np.random.default_rng(6), (0.05, 0.3))
    start = initial_generators(keep_fan_shape=True)
    low_pass = (start["low_pass"].double() + 0.01 * torch.randn(9, generator=generator, dtype=torch.float64)).float()
    leaves = [low_pass.requires_grad_(), start["fan"].requires_grad_()]
    half = rough_weights(configuration, generator).requires_grad_()
    full = shearlet_spectra(leaves[0], leaves[1], 1)
    spread = variances(configuration, {}, full.abs().amax((1, 2)), torch.tensor(batch.sigma))
    weights = filter_weights(configuration, half)
    margin = 12

    exact = torch.zeros(())
    for b in range(2):
        image = torch.fft.fft2(torch.tensor(batch.noisy[b]))
        responses = torch.fft.ifft2(full.conj() * image).real
        active = exact_activations(responses, weights, spread[b], configuration)
        score = -torch.fft.ifft2((full * torch.fft.fft2(active)).sum(0)).real
        window = slice(margin, 128 - margin)
        error = float(batch.sigma[b]) * score[window, window] + torch.tensor(batch.noise[b])[window, window]
        exact = exact + float(batch.importance[b]) * (error**2).mean()
    wanted = torch.autograd.grad(exact, [*leaves, half], retain_graph=True)

    fast = spectral_loss(full[..., :65], weights, spread, batch, configuration.bound, margin, density=64)
    got = torch.autograd.grad(fast, [*leaves, half])
    assert fast.item() == pytest.approx(exact.item(), rel=1e-4)
    for index in range(3):
        assert relative(got[index], wanted[index]) < 5e-3, index
