from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.training.volumes.slices import load_slices


def test_split_keeps_blocks_apart_and_normalises_each_slice(volumes_folder: Path) -> None:
    first, second = load_slices(volumes_folder)
    assert [len(first.train), len(first.validation), len(first.test)] == [7, 1, 2]
    assert [len(second.train), len(second.validation), len(second.test)] == [12, 0, 0]
    stack = np.load(volumes_folder / "first.npy")
    np.testing.assert_allclose(first.test[0], stack[4] / stack[4].max(), rtol=1e-6)
    held_out = {image.tobytes() for image in first.test + first.validation}
    assert not held_out & {image.tobytes() for image in first.train}
    assert all(image.max() == 1.0 for image in first.train)


def test_ranges_repeat_with_the_period(volumes_folder: Path) -> None:
    rules = {"first.npy": {"period": 4, "test": [[1, 1]], "validation": [[3, 3]]}}
    (volumes_folder / "split.json").write_text(json.dumps(rules))
    first, _ = load_slices(volumes_folder)
    assert [len(first.train), len(first.validation), len(first.test)] == [6, 3, 3]


def test_without_a_split_a_whole_volume_is_kept_for_validation(volumes_folder: Path) -> None:
    (volumes_folder / "split.json").unlink()
    first, second = load_slices(volumes_folder)
    assert len(first.train) == 12
    assert not first.validation
    assert len(second.validation) == 12
    assert not second.train


def test_fastmri_folder_gives_the_central_eleven_slices(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name in ("file1.h5", "file2.h5"):
        with h5py.File(tmp_path / name, "w") as file:
            file["reconstruction_rss"] = (1 + np.arange(30)[:, None, None] + rng.random((30, 20, 20))).astype(
                np.float32
            )
    first, second = load_slices(tmp_path)
    assert [len(first.train), len(second.validation)] == [11, 11]
    with h5py.File(tmp_path / "file1.h5") as file:
        centre = file["reconstruction_rss"][15]
    np.testing.assert_allclose(first.train[5], centre / centre.max(), rtol=1e-6)


@pytest.mark.parametrize(
    "rules", ["{", "[]", '{"first.npy": 3}', '{"first.npy": {"test": 5}}', '{"first.npy": {"test": [[1]]}}']
)
def test_bad_splits_are_refused(volumes_folder: Path, rules: str) -> None:
    (volumes_folder / "split.json").write_text(rules)
    with pytest.raises(InputError, match=r"split\.json"):
        load_slices(volumes_folder)


def test_bad_folders_are_refused(tmp_path: Path, volumes_folder: Path) -> None:
    with pytest.raises(InputError, match="not a folder"):
        load_slices(tmp_path / "missing")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="no volumes"):
        load_slices(empty)
    (volumes_folder / "split.json").write_text("{}")
    with pytest.raises(InputError, match="no slices"):
        load_slices(volumes_folder)


def test_arrays_of_one_file_are_volumes_with_rules_of_their_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    np.savez(
        tmp_path / "four.npz", t1=rng.random((6, 20, 20)), t2=rng.random((4, 20, 24)), flair=rng.random((3, 20, 20))
    )
    rules = {"four.npz": {"validation": [[0, 0]]}, "four.npz/t2": {"test": [[0, 9]], "group": "T2"}}
    (tmp_path / "split.json").write_text(json.dumps(rules))
    found = {volume.name: volume for volume in load_slices(tmp_path)}
    assert {name: (len(v.train), len(v.validation), len(v.test), v.group) for name, v in found.items()} == {
        "four.npz/t1": (5, 1, 0, "four.npz"),
        "four.npz/t2": (0, 0, 4, "T2"),
        "four.npz/flair": (2, 1, 0, "four.npz"),
    }
