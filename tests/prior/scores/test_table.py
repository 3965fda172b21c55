from __future__ import annotations

from typing import Any

import pytest
import torch

KINDS = ["flf", "flf-tc", "flf-softplus", "sh-1", "sh-2", "sh-2-shared"]


SAMPLER_LEVELS = [0.001, 0.0016, 0.008, 0.0435, 0.168, 0.489]


def worst(approximate: torch.Tensor, exact: torch.Tensor) -> float:
    return ((approximate - exact).abs().max() / exact.abs().max()).item()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sigma", SAMPLER_LEVELS)
def test_table_is_exact_to_a_thousandth_over_the_samplers_noise_range(make: Any, kind: str, sigma: float) -> None:
    prior = make.rough_prior(kind)
    image = make.piecewise_image(72, 60)
    noisy = (image + sigma * make.noise_like(image)).float()
    exact = prior.score(noisy.double(), sigma, exact=True)
    assert worst(prior.score(noisy, sigma).double(), exact) < 1e-3
    assert worst(prior.score(noisy.double(), sigma), exact) < 1e-3


@pytest.mark.slow
def test_table_holds_far_beyond_the_means(make: Any) -> None:
    prior = make.rough_prior("flf-tc")
    image = 20 * make.piecewise_image(48, 48)
    exact = prior.score(image, 0.1, exact=True)
    assert worst(prior.score(image.float(), 0.1).double(), exact) < 5e-3
