from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.trajectories.file import load_trajectory, save_trajectory
from napari_pogmdm.physics.trajectories.kinds import make_trajectory


def test_a_saved_trajectory_is_read_again(tmp_path):
    made = make_trajectory("golden-radial", (32, 32), 9)
    save_trajectory(made, tmp_path / "mine.npy")
    np.testing.assert_array_equal(load_trajectory(tmp_path / "mine.npy", (32, 32)).positions, made.positions)
    np.save(tmp_path / "spokes.npy", made.positions.reshape(9, -1, 2).astype(float))
    np.testing.assert_array_equal(load_trajectory(tmp_path / "spokes.npy", (32, 32)).positions, made.positions)
    with pytest.raises(InputError, match=r"does not end in \.npy"):
        save_trajectory(made, tmp_path / "mine.txt")


def test_half_a_cycle_forward_is_half_a_cycle_back(tmp_path):
    np.save(tmp_path / "ends.npy", np.array([[0, 0], [0.5, 0.0], [-0.5, 0.25]]))
    assert load_trajectory(tmp_path / "ends.npy", (8, 8)).positions[1, 0] == -0.5


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.zeros((4, 2), dtype=complex), "no positions of a slice"),
        (np.zeros(7), "expected"),
        (np.full((4, 2), np.nan), "NaN"),
        (np.array([[0.0, 0.7]]), r"\[-0.5, 0.5\)"),
        (np.array([{"a": 1}], dtype=object), "holds object values"),
    ],
)
def test_files_that_hold_no_trajectory_are_refused(tmp_path, array, said):
    np.save(tmp_path / "bad.npy", array, allow_pickle=True)
    with pytest.raises(InputError, match=said) as caught:
        load_trajectory(tmp_path / "bad.npy", (32, 32))
    assert "bad.npy" in str(caught.value)


def test_a_missing_or_damaged_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_trajectory(tmp_path / "none.npy", (32, 32))
    (tmp_path / "cut.npy").write_bytes(b"\x93NUMPY\x01\x00")
    with pytest.raises(InputError, match="not a readable NumPy trajectory"):
        load_trajectory(tmp_path / "cut.npy", (32, 32))
