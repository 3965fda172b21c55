from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.trajectories.kinds import make_trajectory
from napari_pogmdm.physics.trajectories.trajectory import Trajectory


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (np.zeros((5, 3)), r"shape \(5, 3\), expected \(samples, 2\)"),
        (np.zeros((0, 2)), r"shape \(0, 2\)"),
        (np.array([[0, np.nan]]), "NaN or infinite"),
        (np.array([[0, 0], [0, 0.5]]), r"from 0 to 0.5, expected cycles per pixel in \[-0.5, 0.5\)"),
        (np.array([[0, 0], [-16, 15]]), "divide it by the size of the image"),
        (np.array([[0.3, 0.3], [0.4, 0.4]]), "no sample in the centre of k-space"),
    ],
)
def test_places_that_make_no_image_are_refused_in_a_sentence(places, said):
    with pytest.raises(InputError, match=said):
        Trajectory(places.astype(np.float32), (32, 32))


def test_facts_about_the_grid_it_is_near():
    axis = (np.arange(8) - 4) / 8
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2).astype(np.float32)
    every = Trajectory(grid, (8, 8))
    assert every.centre == (8, 8)
    assert every.acceleration == 1
    half = Trajectory(grid.reshape(8, 8, 2)[:, ::2].reshape(-1, 2), (8, 8))
    assert half.acceleration == 2
    assert half.centre == (1, 1)
    assert half.radius.max() == pytest.approx(np.sqrt(2))


def test_a_single_long_readout_is_cut_into_pieces():
    spiral = make_trajectory("spiral", (64, 64), 1)
    assert spiral.readouts.max() + 1 >= 8


def test_the_point_spread_has_its_peak_in_the_middle():
    spread = make_trajectory("golden-radial", (48, 40), 30).point_spread()
    assert spread.shape == (48, 40)
    assert np.unravel_index(spread.argmax(), spread.shape) == (24, 20)
    assert spread.max() == 1
    assert np.median(spread) < 0.1


def test_samples_that_are_left_out_are_not_seen():
    made = make_trajectory("radial", (32, 32), 16)
    kept = torch.from_numpy(made.readouts % 2 == 0)
    image = torch.randn(1, 32, 32, dtype=torch.complex64, generator=torch.Generator().manual_seed(0))
    half = Trajectory(made.positions[kept.numpy()], (32, 32))
    everything = torch.ones(len(half.positions), dtype=torch.bool)
    torch.testing.assert_close(
        made.encoding(kept).resample(image), half.encoding(everything).resample(image), rtol=1e-3, atol=1e-4
    )
    assert not made.encoding(kept).forward(image)[:, ~kept].any()


def test_it_says_what_it_is():
    assert "golden-radial trajectory, 12 spokes" in make_trajectory("golden-radial", (32, 32), 12).describe()
    assert "16 arms" in repr(make_trajectory("spiral", (32, 32)))


def test_a_readout_that_ends_on_the_edge_goes_on_where_k_space_repeats():
    """The end of a spoke along an axis, at 0.5, is stored as -0.5, which is the same place."""
    along = np.linspace(-0.5, 0.5, 65)[1:]
    angles = np.pi * np.arange(10) / 10
    spokes = np.stack([np.outer(np.cos(angles), along), np.outer(np.sin(angles), along)], axis=-1)
    places = (spokes + 0.5) % 1 - 0.5
    assert places[0, -1, 0] == -0.5
    made = Trajectory(places.reshape(-1, 2).astype(np.float32), (64, 64))
    np.testing.assert_array_equal(made.readouts, np.repeat(np.arange(10), 64))
