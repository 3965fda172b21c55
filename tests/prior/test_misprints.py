"""One test for each of the paper's misprints that touches the prior and is not a parameter count."""

from __future__ import annotations

import math

import pytest
import torch

from napari_pogmdm.prior.banks import local_gains
from napari_pogmdm.prior.conditioning import variances
from napari_pogmdm.prior.configuration import VARIANTS, PriorConfiguration
from napari_pogmdm.prior.experts import activation, potential
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.projections import mirrored


def one_gaussian(kernel: torch.Tensor, bound: float = 0.5) -> Prior:
    """A prior with one filter whose mixture is, but for weights of 1e-14, a single Gaussian at zero."""
    configuration = PriorConfiguration(filter_count=1, filter_size=kernel.shape[-1], bound=bound)
    half = torch.full((1, 63), 1e-14, dtype=torch.float64)
    half[0, 0] = 1 - 124e-14
    return Prior(configuration, {"weights": half, "filters": kernel[None]})


def test_gain_enters_squared() -> None:
    """sigma_k^2 = sigma_0^2 + nu_k^2 2t with nu_k = max |F f_k|: doubling a filter quadruples the added variance."""
    kernel = torch.zeros(5, 5, dtype=torch.float64)
    kernel[2, 2], kernel[2, 3] = -1.0, 1.0
    assert local_gains(kernel[None], "max").item() == pytest.approx(2.0)
    sigma = 0.1
    for factor in (1.0, 2.0):
        prior = one_gaussian(factor * kernel)
        added = prior.variances(sigma).item() - (1 / 124) ** 2
        assert added == pytest.approx((2 * factor) ** 2 * sigma**2)


def test_single_gaussian_shrinks_the_pass_band_by_the_known_factor() -> None:
    """Tweedie's estimate of a wave at the filter's peak is shrunk by (sigma_0^2) / (sigma_0^2 + nu^2 2t)."""
    kernel = torch.zeros(3, 3, dtype=torch.float64)
    kernel[1, 1], kernel[1, 2] = -0.5, 0.5
    prior = one_gaussian(kernel, bound=5.0)
    wave = 0.3 * torch.cos(math.pi * torch.arange(16, dtype=torch.float64)).expand(16, 16)
    sigma, sigma_0 = 0.2, 10 / 124
    shrunk = sigma_0**2 / (sigma_0**2 + sigma**2)
    torch.testing.assert_close(prior.denoise(wave, sigma), shrunk * wave, rtol=1e-6, atol=1e-9)


def test_time_is_the_noise_standard_deviation() -> None:
    """The sampler's p(x, zeta^2) means noise VARIANCE zeta^2 = 2t; a level of 0.489 adds nu^2 0.489^2, not 2 zeta^2."""
    kernel = torch.zeros(3, 3, dtype=torch.float64)
    kernel[1, 1], kernel[1, 2] = -0.5, 0.5
    prior = one_gaussian(kernel)
    assert prior.variances(0.489).item() == pytest.approx((1 / 124) ** 2 + 0.489**2)


def test_potential_contains_the_normaliser_and_integrates_to_one() -> None:
    """psi_k has the factor (2 pi sigma_k^2)^(-1/2); the paper's d-dimensional normaliser has the wrong sign."""
    weights = torch.tensor([0.25, 0.5, 0.25], dtype=torch.float64)
    positions = torch.tensor([-0.5, 0.0, 0.5], dtype=torch.float64)
    grid = torch.linspace(-4, 4, 8001, dtype=torch.float64)
    density = (-potential(grid, weights, positions, torch.tensor(0.09, dtype=torch.float64))).exp()
    assert torch.trapezoid(density, grid).item() == pytest.approx(1.0, abs=1e-9)


def test_activation_is_the_derivative_of_the_potential() -> None:
    weights = torch.tensor([0.1, 0.8, 0.1], dtype=torch.float64)
    positions = torch.tensor([-0.5, 0.0, 0.5], dtype=torch.float64)
    grid = torch.linspace(-2, 2, 301, dtype=torch.float64).requires_grad_()
    variance = torch.tensor(0.04, dtype=torch.float64)
    (slope,) = torch.autograd.grad(potential(grid, weights, positions, variance).sum(), grid)
    torch.testing.assert_close(activation(grid.detach(), weights, positions, variance), slope)


def test_mirroring_counts_the_centre_once() -> None:
    """62 weights are mirrored and one is the centre: 125 in all."""
    full = mirrored(torch.arange(63.0))
    assert full.shape == (125,)
    assert full[62] == 0
    torch.testing.assert_close(full, full.flip(0))


def test_learned_conditioning_reads_the_deviation_and_never_falls_below_sigma_0(make) -> None:
    for name in ("flf-tc", "flf-softplus"):
        prior = make.rough_prior(name)
        configuration = VARIANTS[name]
        direct = variances(configuration, prior.parameters, prior.gains, torch.tensor([0.3], dtype=torch.float64))[0]
        torch.testing.assert_close(prior.variances(0.3), direct)
        assert (prior.variances(0.0) > configuration.sigma_0**2).all()
    network = make.rough_prior("flf-tc").parameters
    assert network["time.1.weight"].shape == (64, 64)


def test_filters_have_zero_mean_so_a_brighter_image_has_the_same_score(make) -> None:
    prior = make.rough_prior("flf")
    image = make.piecewise_image(32, 32)
    torch.testing.assert_close(prior.score(image + 0.5, 0.1), prior.score(image, 0.1), rtol=1e-5, atol=1e-4)
