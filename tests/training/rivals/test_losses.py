"""Losses against the metrics that they stand for."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from skimage.metrics import structural_similarity as reference_ssim

from napari_pogmdm.training.rivals.losses import image_loss, structural_similarity
from napari_pogmdm.training.rivals.settings import Loss
from napari_pogmdm.training.validation import psnr


def test_ssim_is_that_of_the_evaluation():
    rng = np.random.default_rng(0)
    one, other = rng.random((2, 32, 30))
    found = structural_similarity(torch.from_numpy(one), torch.from_numpy(other))
    assert float(found) == pytest.approx(reference_ssim(one, other, win_size=7, data_range=1.0), abs=1e-3)


def test_equal_images_have_no_loss_and_scale_does_not_count():
    image = torch.rand(20, 20)
    for loss in Loss:
        assert float(image_loss(image, image, loss)) == pytest.approx(0, abs=1e-6)
        assert float(image_loss(5 * image, 5 * image.flip(0), loss)) == pytest.approx(
            float(image_loss(image, image.flip(0), loss)), rel=1e-4
        )


def test_the_root_mean_square_is_that_of_psnr():
    one, other = np.random.default_rng(0).random((2, 20, 30)).astype(np.float32)
    found = image_loss(torch.from_numpy(one), torch.from_numpy(other), Loss.RMS)
    assert -20 * np.log10(float(found)) == pytest.approx(psnr(other / other.max(), one / other.max()), abs=1e-3)
