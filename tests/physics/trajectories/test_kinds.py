from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.trajectories.kinds import make_trajectory
from napari_pogmdm.physics.trajectories.names import TrajectoryKind


@pytest.mark.parametrize("kind", list(TrajectoryKind))
@pytest.mark.parametrize("shape", [(64, 64), (48, 64), (33, 31)])
def test_every_kind_covers_its_circle_and_stays_within_the_grid(kind, shape):
    made = make_trajectory(kind, shape, 12)
    assert made.positions.dtype == np.float32
    assert made.positions.min() >= -0.5
    assert made.positions.max() < 0.5
    assert np.abs(made.positions).max() > 0.48
    assert made.readouts.max() + 1 == 12
    assert np.bincount(made.readouts).min() == np.bincount(made.readouts).max()
    np.testing.assert_array_equal(made.positions, make_trajectory(kind, shape, 12).positions)


def test_spokes_go_through_the_centre_at_even_or_golden_angles():
    even, golden = make_trajectory("radial", (32, 32), 8), make_trajectory("golden-radial", (32, 32), 8)
    for made, step in ((even, 180 / 8), (golden, 111.246)):
        spokes = made.positions.reshape(8, -1, 2)
        np.testing.assert_allclose(spokes[:, 16], 0, atol=1e-7)
        angles = np.degrees(np.arctan2(spokes[:, -1, 0], spokes[:, -1, 1]))
        np.testing.assert_allclose(np.diff(angles) % 180, step % 180, atol=0.01)


def test_more_spokes_fill_the_grid_and_widen_its_full_centre():
    few, many = (make_trajectory("golden-radial", (64, 64), count) for count in (16, 128))
    assert many.acceleration < few.acceleration
    assert min(many.centre) > min(few.centre) >= 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kind": "rosette"}, "unknown kind 'rosette'; choose from radial, golden-radial, spiral"),
        ({"readouts": 0}, "0 is not a number from 1 to 4096"),
        ({"readouts": 10**9}, "is not a number from 1 to 4096"),
        ({"oversampling": 0.5}, "oversampling: 0.5 is not a number from 1 to 8"),
        ({"oversampling": float("nan")}, "oversampling: nan"),
        ({"shape": (4, 64)}, "4 x 64 is too small"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(options, said):
    asked = {"kind": "radial", "shape": (64, 64), "readouts": 8, "oversampling": 1.0} | options
    with pytest.raises(InputError, match=said):
        make_trajectory(asked.pop("kind"), asked.pop("shape"), **asked)
