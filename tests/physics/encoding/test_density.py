from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.physics.encoding.density import density_weights
from napari_pogmdm.physics.trajectories.kinds import make_trajectory


@pytest.mark.slow
def test_on_a_full_grid_all_weights_are_one():
    axis = (torch.arange(16) - 8) / 16
    places = torch.stack(torch.meshgrid(axis, axis, indexing="ij"), dim=-1).reshape(-1, 2)
    torch.testing.assert_close(density_weights(places, (16, 16)), torch.ones(256, dtype=torch.float64))


def test_weights_of_dense_spokes_grow_with_the_radius():
    """Spokes dense enough for the border: a sample stands for a part of a ring, which is proportional to its radius."""
    trajectory = make_trajectory("radial", (64, 64), 128)
    weights = density_weights(torch.from_numpy(trajectory.positions), (64, 64)).numpy()
    radius = trajectory.radius * 32
    ring = (radius > 4) & (radius < 28)
    expected = np.pi * radius[ring] / 128
    assert np.median(weights[ring] / expected) == pytest.approx(1, abs=0.03)
    assert np.abs(weights[ring] / expected - 1).mean() < 0.1
