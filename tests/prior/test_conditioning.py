from __future__ import annotations

import pytest
import torch

from napari_pogmdm.prior.conditioning import variances
from napari_pogmdm.prior.configuration import VARIANTS, PriorConfiguration
from napari_pogmdm.prior.model import Prior


def one_gaussian(kernel: torch.Tensor, bound: float = 0.5) -> Prior:
    """A prior with one filter whose mixture is, but for weights of 1e-14, a single Gaussian at zero."""
    configuration = PriorConfiguration(filter_count=1, filter_size=kernel.shape[-1], bound=bound)
    half = torch.full((1, 63), 1e-14, dtype=torch.float64)
    half[0, 0] = 1 - 124e-14
    return Prior(configuration, {"weights": half, "filters": kernel[None]})


def test_time_is_the_noise_standard_deviation() -> None:
    """The sampler's p(x, zeta^2) means noise VARIANCE zeta^2 = 2t; a level of 0.489 adds nu^2 0.489^2, not 2 zeta^2."""
    kernel = torch.zeros(3, 3, dtype=torch.float64)
    kernel[1, 1], kernel[1, 2] = -0.5, 0.5
    prior = one_gaussian(kernel)
    assert prior.variances(0.489).item() == pytest.approx((1 / 124) ** 2 + 0.489**2)


def test_learned_conditioning_reads_the_deviation_and_never_falls_below_sigma_0(make) -> None:
    for name in ("flf-tc", "flf-softplus"):
        prior = make.rough_prior(name)
        configuration = VARIANTS[name]
        direct = variances(configuration, prior.parameters, prior.gains, torch.tensor([0.3], dtype=torch.float64))[0]
        torch.testing.assert_close(prior.variances(0.3), direct)
        assert (prior.variances(0.0) > configuration.sigma_0**2).all()
    network = make.rough_prior("flf-tc").parameters
    assert network["time.1.weight"].shape == (64, 64)
