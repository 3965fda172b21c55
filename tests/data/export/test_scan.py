from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.raw.raw_scans import head, lines_of, oversampled, to_kspace, write_ismrmrd
from data.raw.test_scan import spokes
from napari_pogmdm.data.export.scan import write_scan
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError

FULL = to_kspace(oversampled(head()))


@pytest.fixture
def scan(tmp_path: Path):
    readouts = []
    for number in range(3):
        readouts += lines_of(
            (1 + number) * FULL, [0, 4, 8, 10, 11, 12, 13, 14, 20], slice=number, position=(0, 0, number)
        )
    return open_scan(write_ismrmrd(tmp_path / "raw.h5", readouts))


@pytest.mark.parametrize("name", ["out.h5", "out.cfl", "out.npy", "out.npz"])
def test_what_was_written_reads_the_same(tmp_path: Path, scan, name: str):
    write_scan(scan, [0, 1, 2], tmp_path / name)
    again = open_scan(tmp_path / name)
    assert len(again) == 3
    for number in range(3):
        np.testing.assert_array_equal(again[number].kspace, scan[number].kspace)
        np.testing.assert_array_equal(again[number].mask, scan[number].mask)
    if name == "out.h5":
        assert again[0].header.encoded_field_of_view_mm == scan[0].header.encoded_field_of_view_mm


@pytest.mark.parametrize("name", ["out.cfl", "out.npz"])
def test_trajectories_go_along(tmp_path: Path, name: str):
    samples, places = spokes(8)
    np.savez(tmp_path / "k.npz", kspace=samples, trajectory=places[..., ::-1])
    scan = open_scan(tmp_path / "k.npz")
    write_scan(scan, [0], tmp_path / name)
    again = open_scan(tmp_path / name)[0]
    assert again.shape == scan[0].shape
    np.testing.assert_array_equal(again.kspace, scan[0].kspace)
    np.testing.assert_allclose(again.trajectory, scan[0].trajectory, atol=1e-6)
    with pytest.raises(InputError, match="fastMRI's layout knows no trajectories"):
        write_scan(scan, [0], tmp_path / "out.h5")
    with pytest.raises(InputError, match="cannot also hold a trajectory"):
        write_scan(scan, [0], tmp_path / "out.npy")
    assert not (tmp_path / "out.npy").exists()


def test_slices_that_differ_are_not_put_together(tmp_path: Path):
    readouts = lines_of(FULL) + lines_of(FULL, range(6, 18), slice=1, position=(0, 0, 5))
    readouts += lines_of(FULL, range(0, 24, 2), slice=2, position=(0, 0, 9))
    scan = open_scan(write_ismrmrd(tmp_path / "raw.h5", readouts))
    with pytest.raises(InputError, match="masks of their own"):
        write_scan(scan, [0, 2], tmp_path / "out.h5")
