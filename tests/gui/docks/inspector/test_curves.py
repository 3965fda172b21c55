from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.docks.inspector.curves import (
    conditioning,
    derivatives,
    minima,
    potentials,
    quick_potentials,
    response_grid,
    slow_and_fast,
)
from napari_pogmdm.prior.weights import load_prior

SIGMA = 0.1


@pytest.mark.parametrize("name", ["flf", "flf-tc"])
def test_derivatives_are_those_of_the_potentials(name):
    prior = load_prior(name)
    grid = response_grid(0.5, 2001)
    curves = potentials(prior, grid, SIGMA)
    slopes = np.gradient(curves, grid, axis=1)
    found = derivatives(prior, grid, SIGMA)
    np.testing.assert_allclose(found[:, 1:-1], slopes[:, 1:-1], atol=2e-2 * np.abs(slopes).max())
    assert curves.min() == 0.0


@pytest.mark.parametrize("name", ["flf", "flf-tc", "sh-2"])
@pytest.mark.parametrize("sigma", [0.0, 0.003, 0.1, 0.9])
def test_quick_potentials_are_the_potentials_to_a_thousandth(name, sigma):
    prior = load_prior(name)
    grid = response_grid(prior.configuration.bound)
    exact = potentials(prior, grid, sigma)
    np.testing.assert_allclose(quick_potentials(prior, grid, sigma), exact, atol=2e-3 * exact.max())


@pytest.mark.parametrize("name", ["flf", "flf-tc", "flf-softplus"])
def test_the_slow_and_the_fast_filter_bracket_all_others(name):
    prior = load_prior(name)
    curves = conditioning(prior, np.array([0.0, 0.2]))
    growth = curves[:, 1] - curves[:, 0]
    slow, fast = slow_and_fast(prior)
    assert growth[slow] == growth.min() < growth.max() == growth[fast]


def test_minima_are_counted_without_ripples():
    x = np.linspace(-1, 1, 401)
    assert len(minima(x**2)) == 1
    assert len(minima((x**2 - 0.25) ** 2 * 10)) == 2
    assert len(minima(x**2 + 1e-3 * np.sin(200 * x))) == 1
    assert minima(x) == []
