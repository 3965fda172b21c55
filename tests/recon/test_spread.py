from __future__ import annotations

import math

import numpy as np
import pytest

from napari_pogmdm.recon.spread import Ratios, spread_of_mean


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


def test_it_is_compared_with_noise_and_detail_inside_the_object():
    mean = np.zeros((9, 8))
    mean[2:7] = 1.0 + 0.2 * np.arange(8)
    mean[4] += 100 * np.arange(8)  # so that all else is less than a tenth of the brightest pixel
    spread = np.full((9, 8), 100.0)
    spread[4, 1:] = 0.03
    found = Ratios.of(spread, mean, 0.01)
    assert found.over_noise == pytest.approx(3.0)
    assert found.over_detail == pytest.approx(0.03 / 100.2)


def test_what_is_not_known_is_not_a_number():
    mean = np.ones((8, 8))
    flat = Ratios.of(np.full((8, 8), 0.03), mean, 0.0)
    assert math.isnan(flat.over_noise)
    assert math.isnan(flat.over_detail)
    assert all(math.isnan(one) for one in Ratios.of(mean, np.zeros((8, 8)), 0.01).named.values())


def test_ratios_go_through_a_record():
    ratios = Ratios(2.0, 0.3)
    assert Ratios.recorded({"chains": 4, **ratios.named}) == ratios
    assert math.isnan(Ratios.recorded({"spread_over_noise": 2.0}).over_detail)
