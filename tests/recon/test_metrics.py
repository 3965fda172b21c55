from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.metrics import metrics


def picture(seed: int = 0, shape: tuple[int, ...] = (32, 40)) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0, 1, shape).astype(np.float32)


def test_psnr_and_nmse_by_hand():
    reference = picture()
    image = reference + 0.1
    scores = metrics(reference, image)
    assert scores.psnr == pytest.approx(10 * np.log10(reference.max() ** 2 / 0.01), abs=1e-4)
    assert scores.nmse == pytest.approx(0.01 * reference.size / (reference.astype(float) ** 2).sum(), rel=1e-4)
    assert metrics(reference, image, data_range=1.0).psnr == pytest.approx(20, abs=1e-4)


def test_nmse_is_relative_to_the_reference_not_to_the_image():
    assert metrics(picture(), 10 * picture()).nmse == pytest.approx(81, rel=1e-4)


def test_ssim_is_the_mean_of_seven_by_seven_windows_with_unbiased_covariance():
    reference, image = picture(0).astype(float), picture(1).astype(float)
    scale = reference.max()
    windows = np.lib.stride_tricks.sliding_window_view
    x, y = (windows(a, (7, 7)).reshape(-1, 49) for a in (reference, image))
    covariance = ((x - x.mean(1, keepdims=True)) * (y - y.mean(1, keepdims=True))).sum(1) / 48
    c1, c2 = (0.01 * scale) ** 2, (0.03 * scale) ** 2
    ssim = (2 * x.mean(1) * y.mean(1) + c1) * (2 * covariance + c2)
    ssim /= (x.mean(1) ** 2 + y.mean(1) ** 2 + c1) * (x.var(1, ddof=1) + y.var(1, ddof=1) + c2)
    assert metrics(reference, image).ssim == pytest.approx(ssim.mean(), rel=1e-6)


def test_volumes_share_one_scale():
    volume = np.stack([picture(0), 10 * picture(1)])
    scores = metrics(volume, volume + 1)
    assert scores.psnr == pytest.approx(20 * np.log10(volume.max()), abs=1e-3)
    assert metrics(volume, volume).psnr == float("inf")


@pytest.mark.parametrize(
    ("reference", "image", "words"),
    [
        (picture(), picture(shape=(40, 32)), "but its reference"),
        (np.zeros((8, 8)), np.ones((8, 8)), "all zero"),
        (picture(shape=(6, 6)), picture(shape=(6, 6)), "too small"),
    ],
)
def test_what_cannot_be_compared_is_said(reference, image, words):
    with pytest.raises(InputError, match=words):
        metrics(reference, image)
