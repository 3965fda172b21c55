from __future__ import annotations

import json

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.trajectories.kinds import make_trajectory
from napari_pogmdm.physics.trajectories.record import trajectory_from_record, trajectory_to_record
from napari_pogmdm.physics.trajectories.trajectory import Trajectory

GIVEN = Trajectory((np.random.default_rng(0).random((300, 2)) - 0.5).astype(np.float32), (8, 8))


@pytest.mark.parametrize(
    "made", [make_trajectory("golden-radial", (40, 32), 9, oversampling=2), make_trajectory("spiral", (32, 32)), GIVEN]
)
def test_a_record_makes_the_same_places_again(made):
    again = trajectory_from_record(json.loads(json.dumps(trajectory_to_record(made))))
    np.testing.assert_array_equal(again.positions, made.positions)
    assert (again.kind, again.shape) == (made.kind, made.shape)


def test_that_of_a_scan_comes_from_the_scan():
    own = Trajectory(GIVEN.positions, (8, 8), kind="file")
    record = trajectory_to_record(own)
    assert "positions" not in record
    np.testing.assert_array_equal(trajectory_from_record(record, own=own.positions).positions, own.positions)
    with pytest.raises(InputError, match="this scan has none"):
        trajectory_from_record(record)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"shape": [8]}, "not laid out"),
        ({"shape": [8, 10**9]}, "not one of a scan"),
        ({"samples": 10**12}, "not a number of one scan"),
        ({"samples": 299}, "not those of 299 samples"),
        ({"samples": "many"}, "not laid out"),
        ({"positions": "!!"}, "damaged"),
        ({"positions": None}, "damaged"),
        ({"kind": "radial", "readouts": None}, "not laid out"),
    ],
)
def test_forged_records_are_refused(change, said):
    with pytest.raises(InputError, match=said):
        trajectory_from_record({**trajectory_to_record(GIVEN), **change})
