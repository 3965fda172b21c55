"""Simulated scans: reproducible, consistent with their coils and masks, and of the right sizes."""

from __future__ import annotations

import numpy as np
import torch

from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.rivals.trained_on import TrainedOn
from napari_pogmdm.training.rivals.examples import ExampleSource, simulate_example
from napari_pogmdm.training.rivals.settings import RivalSettings
from napari_pogmdm.training.volumes.slices import load_slices

SETTINGS = RivalSettings(size=40, rows=0, fewest_coils=2, most_coils=4, seed=1)


def test_a_number_gives_the_same_scan_always(volumes_folder):
    volumes = load_slices(volumes_folder)
    first, again = ExampleSource(volumes, SETTINGS), ExampleSource(volumes, SETTINGS)
    for iteration in range(1, 6):
        one, other = first.draw(iteration), again.draw(iteration)
        assert torch.equal(one.kspace, other.kspace)
        assert max(one.target.shape) <= 40
        assert one.kspace.shape == (len(one.coils), *one.target.shape)
        assert float(one.target.max()) == 1.0
    assert not torch.equal(first.draw(1).kspace, first.draw(2).kspace)


def test_without_noise_the_measured_samples_are_those_of_image_and_coils():
    image = np.random.default_rng(0).random((40, 36)).astype(np.float32)
    settings = RivalSettings(least_noise=1e-6, most_noise=2e-6)
    found = simulate_example(image, settings, np.random.default_rng(1))
    assert torch.allclose(root_sum_of_squares(found.coils), torch.ones(40, 36), atol=1e-3)
    assert not bool(found.kspace[:, ~found.mask].any())
    full = root_sum_of_squares(to_image(found.kspace))
    assert float(full.max()) <= float(root_sum_of_squares(found.coils * found.target).max()) * 2
    seen = TrainedOn("C4/8", acceleration=4.0, centre_fraction=0.08)
    assert "columns" not in " ".join(seen.outside(Mask(found.mask.numpy())))


def test_a_strip_sees_what_the_whole_slice_sees_in_those_rows():
    image = np.random.default_rng(0).random((40, 36)).astype(np.float32)
    settings = RivalSettings(least_noise=1e-6, most_noise=2e-6)
    whole = simulate_example(image, settings, np.random.default_rng(1))
    strip = simulate_example(image, settings, np.random.default_rng(1), slice(8, 24))
    assert strip.kspace.shape == (len(whole.coils), 16, 36)
    assert torch.equal(strip.mask[0], whole.mask[0])
    torch.testing.assert_close(to_image(strip.kspace), to_image(whole.kspace)[:, 8:24], rtol=0, atol=1e-4)


def test_strips_have_as_many_rows_as_asked_for(volumes_folder):
    source = ExampleSource(load_slices(volumes_folder), RivalSettings(rows=16, fewest_coils=2, most_coils=2))
    assert {source.draw(number).target.shape[0] for number in range(1, 9)} == {16}
