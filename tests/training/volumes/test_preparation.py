"""Tests of how slices are prepared for training."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.training.volumes.preparation import FACTORS, prepared, smaller, without_noise
from napari_pogmdm.training.volumes.slices import VolumeSlices


@pytest.fixture
def volume():
    rng = np.random.default_rng(0)
    square = np.zeros((160, 176), np.float32)
    square[40:120, 50:130] = 0.8
    noisy = [np.abs(square + rng.normal(0, 0.03, square.shape)).astype(np.float32) for _ in range(6)]
    return VolumeSlices("v", tuple(noisy), (noisy[0],), (noisy[1],))


def test_a_smaller_image_keeps_its_brightness():
    image = np.full((64, 48), 0.5, dtype=np.float32)
    assert np.allclose(smaller(image, (32, 24)), 0.5, atol=1e-5)


def test_cleaning_takes_noise_out_and_keeps_edges(volume):
    image = volume.train[0]
    cleaned = without_noise(image, 0.8)
    assert cleaned[60:100, 70:110].std() < 0.5 * image[60:100, 70:110].std()
    assert cleaned[80, 52] - cleaned[80, 47] > 0.6
    flat = np.full((80, 80), 0.5, np.float32)
    assert np.array_equal(without_noise(flat, 0.8), flat), "no noise, nothing to take out"


def test_only_slices_to_train_on_are_prepared(volume):
    (ready,) = prepared([volume], cleaning=0.8, shrinking=1.0, seed=1)
    assert ready.validation is volume.validation
    assert ready.test is volume.test
    sides = {2 * round(160 * factor / 2) for factor in FACTORS}
    assert {len(image) for image in ready.train} <= sides
    assert all(image.max() == 1 for image in ready.train)


def test_preparation_is_repeatable_and_asks_for_nothing_unless_told(volume):
    first, again = (prepared([volume], 0.0, 0.5, seed=3)[0].train for _ in range(2))
    assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))
    assert {image.shape for image in first} > {(160, 176)}, "a part of the slices is smaller"
    (same,) = prepared([volume], 0.0, 0.0, seed=3)
    assert same.train is volume.train


def test_slices_that_would_become_too_small_stay_as_they_are(volume):
    tiny = VolumeSlices("v", tuple(image[:80, :80] for image in volume.train), (), ())
    assert all(image.shape == (80, 80) for image in prepared([tiny], 0.0, 1.0, seed=0)[0].train)
