from __future__ import annotations

import math

import numpy as np
import pytest

from napari_pogmdm.recon.spread import over_noise, spread_of_mean


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("chains", [2, 4, 9])
def test_the_spread_is_that_of_the_error_of_the_mean(chains, mirrored):
    """The truth is one more draw of the same distribution, which has a standard deviation of 3 here."""
    generator = np.random.default_rng(1)
    drawn = 3 * generator.normal(size=(chains, 200, 200))
    if mirrored:
        drawn[1::2] = -drawn[: chains - chains % 2 : 2]
    truth = 3 * generator.normal(size=(200, 200))
    error = np.sqrt(((drawn.mean(axis=0) - truth) ** 2).mean())
    spread = spread_of_mean(drawn.var(axis=0, ddof=1), chains, mirrored=mirrored)
    assert np.sqrt((spread**2).mean()) == pytest.approx(error, rel=0.03)


def test_it_is_averaged_over_neighbours():
    variance = np.zeros((11, 11))
    variance[5, 5] = 25.0
    spread = spread_of_mean(variance, 2, mirrored=False)
    np.testing.assert_allclose(spread[3:8, 3:8], math.sqrt(1.5))
    assert spread[2, 5] == 0


def test_it_is_compared_with_the_noise_inside_the_object():
    mean = np.zeros((8, 8))
    mean[2:5] = 1.0
    spread = np.full((8, 8), 100.0)
    spread[2:5] = 0.03
    assert over_noise(spread, mean, 0.01) == pytest.approx(3.0)
    assert math.isnan(over_noise(spread, mean, 0.0))
    assert math.isnan(over_noise(spread, np.zeros((8, 8)), 0.01))
