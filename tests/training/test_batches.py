from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.training.batches import BatchSource
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.slices import load_slices


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
