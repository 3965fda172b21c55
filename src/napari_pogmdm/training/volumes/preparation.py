"""Slices made ready to learn from: without their own noise, and as scanners with smaller matrices would give them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.training.volumes.slices import VolumeSlices, normalised

FACTORS = (0.5, 0.6, 0.7, 0.8)
"""By which slices are made smaller: volumes have 256 to 384 pixels a side, scans of the same anatomy down to half."""

_LEAST_SIDE = 76  # pixels: patches of 68 and their neighbours fit in; a slice that would become smaller stays as it is
_PATCH, _DISTANCE = 5, 6  # pixels of what is compared, and of how far away alike ones are looked for: usual values
_DRAWS = 11  # tells this generator from the one that draws patches with the same seed


def smaller(image: FloatImage, shape: tuple[int, int]) -> FloatImage:
    """Make an image smaller by leaving out its high frequencies, as a scanner with a smaller matrix would."""
    spectrum = np.fft.fftshift(np.fft.fft2(image))
    for axis, size in enumerate(shape):
        first = image.shape[axis] // 2 - size // 2
        spectrum = np.take(spectrum, np.arange(first, first + size), axis=axis)
    found = np.abs(np.fft.ifft2(np.fft.ifftshift(spectrum))) * (shape[0] * shape[1] / image.size)
    return found.astype(np.float32)


def without_noise(image: FloatImage, strength: float) -> FloatImage:
    """Take an image's own noise out by non-local means.

    Parameters
    ----------
    image
        (rows, columns).
    strength
        How far apart two patches may be to be averaged, in units of the noise that is found in the image.
    """
    from skimage.restoration import denoise_nl_means, estimate_sigma

    noise = float(estimate_sigma(image))
    if not noise > 0:
        return image
    cleaned = denoise_nl_means(
        image, h=strength * noise, sigma=noise, patch_size=_PATCH, patch_distance=_DISTANCE, fast_mode=True
    )
    return np.asarray(cleaned, dtype=np.float32)


def prepared(volumes: Sequence[VolumeSlices], cleaning: float, shrinking: float, seed: int) -> tuple[VolumeSlices, ...]:
    """Prepare the slices to train on; those to validate and test with stay as they are.

    Parameters
    ----------
    volumes
        Split slices.
    cleaning
        Strength of `without_noise`; 0 leaves slices as they are.
    shrinking
        Share of the slices that are made smaller, each by one of `FACTORS`.
    seed
        Of which slices are made smaller.
    """
    rng = np.random.default_rng([seed, _DRAWS])

    def ready(image: FloatImage) -> FloatImage:
        factor = float(rng.choice(FACTORS)) if rng.random() < shrinking else 1.0
        if cleaning:
            image = normalised(without_noise(image, cleaning))
        shape = (2 * round(image.shape[0] * factor / 2), 2 * round(image.shape[1] * factor / 2))
        return image if factor == 1 or min(shape) < _LEAST_SIDE else normalised(smaller(image, shape))

    if not cleaning and not shrinking:
        return tuple(volumes)
    return tuple(replace(volume, train=tuple(map(ready, volume.train))) for volume in volumes)
