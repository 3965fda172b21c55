from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.training.batches import SMALLEST_SIGMA, BatchSource
from napari_pogmdm.training.settings import NoiseDistribution, TrainingSettings
from napari_pogmdm.training.volumes.slices import VolumeSlices, load_slices


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


def test_groups_are_drawn_equally_often_whatever_they_hold() -> None:
    def volume(name: str, value: float, count: int, group: str) -> VolumeSlices:
        return VolumeSlices(name, (np.full((8, 8), value, np.float32),) * count, (), (), group)

    volumes = [volume("a", 1.0, 50, "T1"), volume("b", 2.0, 1, "T1"), volume("c", 3.0, 1, "FLAIR")]
    settings = TrainingSettings(batch=4000, sigma_max=1e-3)
    batch = BatchSource(volumes, settings, 8).draw(1)
    drawn = np.round((batch.noisy - batch.sigma[:, None, None] * batch.noise)[:, 0, 0])
    shares = [float(np.mean(drawn == value)) for value in (1, 2, 3)]
    np.testing.assert_allclose(shares, [0.25, 0.25, 0.5], atol=0.05)


def test_levels_can_be_even_in_their_logarithm() -> None:
    volumes = [VolumeSlices("a", (np.ones((8, 8), np.float32),), (), ())]
    settings = TrainingSettings(batch=1000, sigma_max=0.1, noise=NoiseDistribution.SIGMA_LOG_UNIFORM)
    sigma = BatchSource(volumes, settings, 8).draw(1).sigma
    assert sigma.min() >= SMALLEST_SIGMA
    np.testing.assert_allclose(np.quantile(sigma, [0.5, 1.0]), [0.01, 0.1], rtol=0.02)
