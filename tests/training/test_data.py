"""Slices, splits, batches, and volumes fetched from archives."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.training import sources
from napari_pogmdm.training.batches import BatchSource
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.slices import load_slices


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


def test_batches_depend_on_seed_and_iteration_only(volumes_folder: Path) -> None:
    volumes = load_slices(volumes_folder)
    settings = TrainingSettings(batch=6, sigma_max=0.5, seed=9)
    source = BatchSource(volumes, settings, 32)
    batch, again = source.draw(5), BatchSource(volumes, settings, 32).draw(5)
    np.testing.assert_array_equal(batch.noisy, again.noisy)
    assert not np.array_equal(batch.noisy, source.draw(6).noisy)
    assert batch.noisy.shape == (6, 32, 32)
    assert batch.importance.sum() == pytest.approx(1.0)
    assert np.floor(batch.sigma / 0.5 * 6).tolist() == [0, 1, 2, 3, 4, 5]
    clean = batch.noisy - batch.sigma[:, None, None] * batch.noise
    assert clean.min() > -1e-5
    assert clean.max() < 1 + 1e-5


@pytest.mark.parametrize(
    ("noise", "share"), [("sigma-uniform", 0.2), ("sigma-squared-uniform", 0.04), ("sigma-root-uniform", 0.447)]
)
def test_noise_distributions(volumes_folder: Path, noise: str, share: float) -> None:
    """Share of draws below a fifth of the largest level: t uniform, as printed, hardly ever trains low noise."""
    settings = TrainingSettings(batch=500, noise=noise, sigma_max=1.0)
    sigma = BatchSource(load_slices(volumes_folder), settings, 8).draw(1).sigma
    assert float((sigma < 0.2).mean()) == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize(("weighting", "power"), [("noise", 0), ("balanced", 1), ("tweedie", 2)])
def test_weighting_of_noise_levels(volumes_folder: Path, weighting: str, power: int) -> None:
    settings = TrainingSettings(batch=5, weighting=weighting)
    batch = BatchSource(load_slices(volumes_folder), settings, 8).draw(2)
    np.testing.assert_allclose(batch.importance * 5, batch.sigma**power, rtol=1e-5)


def test_patches_larger_than_every_slice_are_refused(volumes_folder: Path) -> None:
    with pytest.raises(InputError, match="smaller patch"):
        BatchSource(load_slices(volumes_folder), TrainingSettings(), 500)


@pytest.mark.parametrize(
    "change",
    [{"iterations": 0}, {"batch": 0}, {"noise": "pink"}, {"sigma_max": float("nan")}, {"average": 1.0}, {"colour": 1}],
)
def test_impossible_settings_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(InputError):
        TrainingSettings.from_dict(TrainingSettings().to_dict() | change)


def test_rates_fall_along_a_cosine() -> None:
    settings = TrainingSettings(iterations=1000, decay=0.5, filter_rate=0.01)
    assert settings.rate("filters", 400) == 0.01
    assert settings.rate("filters", 750) == pytest.approx(0.005)
    assert settings.rate("filters", 1000) == pytest.approx(0.0)


def archive_with(path: Path, members: dict[str, bytes]) -> str:
    with tarfile.open(path, "w:gz") as file:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            file.addfile(member, io.BytesIO(content))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_only_the_named_members_of_a_checked_archive_are_read(tmp_path: Path) -> None:
    source = sources.SOURCES[0]
    archive = tmp_path / source.archive
    wanted = "pydeface-2.1.0" + source.members
    digest = archive_with(archive, {wanted: b"volume", "../evil": b"evil", "pydeface-2.1.0/setup.py": b"code"})
    sources.check(archive, digest)
    sources.extract(archive, source, tmp_path / "brain-t1.nii.gz")
    assert (tmp_path / "brain-t1.nii.gz").read_bytes() == b"volume"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["brain-t1.nii.gz", source.archive]
    with pytest.raises(InputError, match="sha256"):
        sources.check(archive, source.sha256)


def test_the_folder_with_identity_tags_is_never_named() -> None:
    knee = sources.SOURCES[1]
    assert knee.members.endswith("_anon/")
    assert "/data/MESE_T2_dicom_data/" not in knee.members


def test_shipped_split_holds_out_the_test_blocks() -> None:
    assert sources.SPLIT["brain-t1.nii.gz"]["test"] == [[110, 130]]
    assert sources.SPLIT["knee.npz"]["test"] == [[10, 13]]
    assert sources.SPLIT["brain-pd.npz"]["test"] == [[8, 11]]
