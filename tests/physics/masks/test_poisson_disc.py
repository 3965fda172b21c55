from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.poisson_disc import poisson_disc


def test_poisson_points_keep_their_distance_and_thin_out():
    samples = make_mask("poisson", (128, 128), 6, 0.0, seed=1).samples
    density = [samples[inner].mean() for inner in (np.s_[48:80, 48:80], np.s_[:32, :32])]
    assert density[0] > 2 * density[1]
    points = np.argwhere(samples[:32, :32])
    gaps = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    assert gaps[gaps > 0].min() >= 2


@pytest.mark.parametrize("acceleration", [4, 8])
def test_the_density_falls_outwards_without_steps(acceleration):
    samples = poisson_disc((256, 256), acceleration, 0.04, 3)
    radius = np.hypot(*np.meshgrid(*[np.abs(np.arange(256) - 128) / 128] * 2))
    rings = [samples[(radius >= inner) & (radius < inner + 0.05)].mean() for inner in np.arange(0.1, 0.95, 0.05)]
    ratios = np.array(rings[1:]) / rings[:-1]
    assert ratios.max() < 1.06
    assert ratios.min() > 0.82  # between the middles of cells there are few distances: half of the points went at once
