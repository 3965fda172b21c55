from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.training.validation import LEVELS, denoising_psnr, noisy_copy, pick_validation, psnr
from napari_pogmdm.training.volumes.slices import VolumeSlices


def image(value: float = 0.5) -> np.ndarray:
    return np.full((32, 32), value, dtype=np.float32)


def test_psnr_counts_the_full_scale_as_one():
    assert psnr(image(), image() + np.float32(0.1)) == pytest.approx(20, abs=1e-4)


def test_noise_is_the_same_in_every_run_and_another_for_every_slice_and_level():
    first = noisy_copy(image(), 0.1, 3)
    np.testing.assert_array_equal(first, noisy_copy(image(), 0.1, 3))
    assert not np.array_equal(first, noisy_copy(image(), 0.1, 4))
    assert psnr(image(), first) == pytest.approx(20, abs=0.5)


def test_a_few_slices_of_every_volume_are_picked_evenly():
    slices = tuple(image(value) for value in range(9))
    volumes = [VolumeSlices("a", (), slices, ()), VolumeSlices("b", (), slices[:1], ()), VolumeSlices("c", (), (), ())]
    assert [float(one[0, 0]) for one in pick_validation(volumes)] == [0, 4, 8, 0]


def test_a_trained_prior_denoises_at_every_level():
    y, x = np.mgrid[-1:1:48j, -1:1:48j]
    disc = (0.7 * (x**2 + y**2 < 0.5)).astype(np.float32)
    for level, found in zip(LEVELS, denoising_psnr(load_prior("flf-tc"), [disc]), strict=True):
        assert found > -20 * np.log10(level) + 2
