from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.data.result_file import result_file


def test_slices_are_stored_in_the_submission_layout(tmp_path: Path):
    path = tmp_path / "out.h5"
    images = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    coils = np.ones((2, 5, 3, 4), np.complex64)
    with result_file(path, 2) as results:
        for index in range(2):
            results.add(index, {"reconstruction": images[index], "coils": coils[index]})
        results.record("{}")
        assert not path.exists()
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["reconstruction"][()], images)
        assert file["reconstruction"].dtype == np.float32
        assert file["coils"].shape == coils.shape
        assert file["record"][()] == b"{}"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.h5"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    path = tmp_path / "out.h5"
    path.write_text("old")

    def fail() -> None:
        with result_file(path, 1) as results:
            results.add(0, {"reconstruction": np.ones((2, 2), np.float32)})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.h5"]
