"""The toy distribution: its score is a gradient, and estimates are means."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.docks.tour.figures import toy
from napari_pogmdm.gui.docks.tour.figures.toy_score import arrows, distances


@pytest.mark.parametrize("sigma", [0.05, 0.2])
def test_the_score_is_the_gradient_of_the_logarithm_of_the_density(sigma):
    points = np.random.default_rng(0).uniform(0, 1, (20, 2))
    for axis in range(2):
        step = np.zeros(2)
        step[axis] = 1e-5
        slope = (np.log(toy.density(points + step, sigma)) - np.log(toy.density(points - step, sigma))) / 2e-5
        np.testing.assert_allclose(toy.score(points, sigma)[:, axis], slope, rtol=1e-4, atol=1e-4)


def test_with_little_noise_arrows_point_to_the_nearest_cloud_and_with_much_to_the_mean_of_all():
    places = np.random.default_rng(1).uniform(0, 1, (200, 2))
    near = toy.CENTRES[np.linalg.norm(places[:, None] - toy.CENTRES, axis=2).argmin(axis=1)]
    way = toy.score(places, 0.05)
    assert np.mean((way * (near - places)).sum(axis=1) > 0) > 0.98
    far = toy.estimate(places, 3.0)
    assert np.abs(far - toy.mean()).max() < 0.1


@pytest.mark.parametrize("sigma", [0.05, 0.15, 0.3, 0.6])
def test_one_step_brings_noisy_images_nearer(sigma):
    before, after = distances(sigma)
    assert after < before


def test_arrows_are_no_longer_than_the_gap_between_them():
    shafts = arrows(0.15)[: 15 * 15]
    lengths = np.linalg.norm(shafts[:, 1] - shafts[:, 0], axis=1)
    assert 0 < lengths.max() < 1.6 / 14
