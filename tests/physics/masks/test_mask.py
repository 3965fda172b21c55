from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import Mask, load_mask, save_mask


def test_a_saved_mask_is_read_again(tmp_path: Path):
    mask = make_mask("radial", (32, 24), 3.0)
    save_mask(mask, tmp_path / "mask.npy")
    np.testing.assert_array_equal(load_mask(tmp_path / "mask.npy", (32, 24)).samples, mask.samples)
    with pytest.raises(InputError, match="does not end in"):
        save_mask(mask, tmp_path / "mask.txt")


def test_the_fully_sampled_centre_is_found():
    assert make_mask("cartesian", (64, 320), 4, 0.08).centre == (64, 26)
    assert make_mask("cartesian", (320, 64), 4, 0.08, axis="rows").centre == (26, 64)
    block = np.zeros((20, 21), dtype=bool)
    block[7:13, 8:13] = True
    assert Mask(block, "file").centre == (6, 5)
    block[10, 10] = False
    assert Mask(block, "file").centre == (0, 0)


def test_the_point_spread_of_every_second_column_has_two_peaks():
    samples = np.zeros((16, 16), dtype=bool)
    samples[:, ::2] = True
    spread = Mask(samples, "file").point_spread()
    assert np.argwhere(spread > 0.5).tolist() == [[8, 0], [8, 8]]


def test_edits_are_remembered():
    mask = make_mask("cartesian", (16, 16))
    more = mask.edited(mask.samples | True, "filled")
    assert more.edits == ("filled",)
    assert "1 edits by hand" in more.describe()
    assert mask.edits == ()


def test_masks_from_files(tmp_path: Path):
    good = tmp_path / "mask.npy"
    np.save(good, make_mask("gaussian", (32, 24), 4).samples)
    assert load_mask(good, (32, 24)).acceleration == pytest.approx(4, abs=0.1)
    np.save(good, np.arange(24) % 2)
    assert load_mask(good, (32, 24)).samples[:, 1].all()


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.ones((3, 3)), r"shape \(3, 3\)"),
        (np.zeros((32, 24)), "no sample"),
        (np.ones((32, 24)), "every sample"),
        (np.full((32, 24), "x"), "numbers are needed"),
        (np.full((32, 24), 1j), "true and false"),
        (np.where(np.eye(32, 24), np.nan, 0), "holds NaN"),
        (None, "not a readable"),
    ],
)
def test_bad_mask_files_are_named(tmp_path: Path, array, words):
    path = tmp_path / "bad.npy"
    if array is None:
        path.write_bytes(b"nothing")
    else:
        np.save(path, array)
    with pytest.raises(InputError, match=words) as caught:
        load_mask(path, (32, 24))
    assert "bad.npy" in str(caught.value)
