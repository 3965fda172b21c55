"""Validation: PSNR of one-step denoising on slices that training never sees."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.training.volumes.slices import VolumeSlices

LEVELS = (0.025, 0.05, 0.1, 0.2)
"""Noise levels of the paper's denoising table."""


def noisy_copy(image: FloatImage, sigma: float, seed: int) -> FloatImage:
    """Add white noise that is the same for every method and every run."""
    rng = np.random.default_rng([seed, round(1e6 * sigma)])
    return image + np.float32(sigma) * rng.standard_normal(image.shape, dtype=np.float32)


def psnr(reference: FloatImage, estimate: FloatImage) -> float:
    """Peak signal-to-noise ratio in dB for a data range of one."""
    return -10 * math.log10(float(np.mean((reference.astype(np.float64) - estimate) ** 2)))


def pick_validation(volumes: Sequence[VolumeSlices], per_volume: int = 3) -> tuple[FloatImage, ...]:
    """Pick a few evenly spaced validation slices of each volume."""
    return tuple(image for volume in volumes for image in evenly(volume.validation, per_volume))


def evenly(images: Sequence[FloatImage], count: int) -> list[FloatImage]:
    """Pick so many evenly spaced images, or all if there are fewer."""
    places = np.linspace(0, len(images) - 1, min(count, len(images))).round().astype(int)
    return [images[place] for place in places]


def denoising_psnr(
    prior: ScorePrior, images: Sequence[FloatImage], levels: Sequence[float] = LEVELS
) -> tuple[float, ...]:
    """Mean PSNR of Tweedie's estimate over images, one number per noise level."""
    means = []
    for sigma in levels:
        values = []
        for number, image in enumerate(images):
            estimate = prior.denoise(torch.from_numpy(noisy_copy(image, sigma, number)), sigma)
            values.append(psnr(image, estimate.numpy()))
        means.append(float(np.mean(values)))
    return tuple(means)
