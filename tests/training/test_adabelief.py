"""The optimiser against its formulas, written out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from napari_pogmdm.training.adabelief import initial_moments, step


def test_free_parameters_follow_plain_adabelief() -> None:
    """First and second moment of every entry, bias correction, no rectification and no weight decay."""
    rng = np.random.default_rng(0)
    values = torch.tensor(rng.standard_normal(4))
    expected, m, v = values.numpy().copy(), np.zeros(4), np.zeros(4)
    moments = initial_moments({"time.slope": values})["time.slope"]
    for iteration in range(1, 6):
        gradient = rng.standard_normal(4)
        m = 0.9 * m + 0.1 * gradient
        v = 0.999 * v + 0.001 * (gradient - m) ** 2
        denominator = np.sqrt(v + 1e-16) / math.sqrt(1 - 0.999**iteration) + 1e-16
        expected -= 0.01 / (1 - 0.9**iteration) * m / denominator
        step("time.slope", values, torch.tensor(gradient), moments, 0.01, iteration)
        np.testing.assert_allclose(values.numpy(), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("name", "shape", "blocks"),
    [
        ("weights", (3, 63), (3, 1)),
        ("filters", (3, 5, 5), (3, 1, 1)),
        ("low_pass", (9,), (1,)),
        ("fan", (17, 17), (1, 1)),
    ],
)
def test_constrained_blocks_share_one_step_size(name: str, shape: tuple[int, ...], blocks: tuple[int, ...]) -> None:
    moments = initial_moments({name: torch.zeros(shape)})[name]
    assert moments.second.shape == blocks
    assert moments.first.shape == shape


def test_a_block_moves_along_its_gradient_before_it_is_projected() -> None:
    """With one scalar per filter a zero-mean gradient moves a zero-mean filter straight along itself."""
    generator = torch.Generator().manual_seed(0)
    gradient = torch.randn(2, 5, 5, generator=generator, dtype=torch.float64)
    gradient -= gradient.mean((1, 2), keepdim=True)
    gradient[1] *= 1000
    values = torch.zeros(2, 5, 5, dtype=torch.float64)
    step("filters", values, gradient, initial_moments({"filters": values})["filters"], 0.01, 1)
    for filter_step, direction in zip(values, gradient, strict=True):
        cosine = (filter_step * direction).sum() / (filter_step.norm() * direction.norm())
        assert cosine.item() == pytest.approx(-1.0)
    assert values[0].norm().item() == pytest.approx(values[1].norm().item())


def test_every_step_ends_inside_the_constraint() -> None:
    weights = torch.full((2, 63), 1 / 125, dtype=torch.float64)
    moments = initial_moments({"weights": weights})["weights"]
    gradient = torch.zeros_like(weights)
    gradient[:, 10] = -1.0
    for iteration in range(1, 50):
        step("weights", weights, gradient, moments, 0.1, iteration)
    assert (weights > 0).all()
    torch.testing.assert_close(2 * weights.sum(-1) - weights[:, 0], torch.ones(2, dtype=torch.float64))
    assert (weights[:, 10] > 0.4).all()
