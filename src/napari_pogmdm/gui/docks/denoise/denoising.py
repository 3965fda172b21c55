"""What the Denoise dock computes, without a window: noise on an image, and the estimate of what was there before."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.recon.sampler.algorithms.denoising import denoise_in_steps

LARGEST_SIGMA = 0.5  # of the slider: nothing of an image is left to the eye beyond
MOST_STEPS = 20  # of the dock: more change nothing, and the picture has to follow the slider
_LARGEST_SIDE = 2048  # pixels; a step would take seconds
_SCORE_PERCENTILE = 99.5  # of the magnitudes; a few extreme pixels would darken all others


@dataclass(frozen=True, eq=False)
class CleanImage:
    """An image to denoise.

    Attributes
    ----------
    name
        Of its layer.
    image
        (rows, columns) divided by ``largest``, so that its brightest pixel is 1, which is what the models know.
    largest
        Brightest magnitude of the layer.
    """

    name: str
    image: FloatImage
    largest: float


@dataclass(frozen=True, eq=False)
class Denoised:
    """A noisy image and what the prior makes of it; all in units of the clean image's brightest pixel.

    Attributes
    ----------
    noisy
        x_t = x_0 + sigma n.
    estimate
        E[x_0 | x_t] = x_t + sigma^2 score (Tweedie) in one step, or what several steps leave.
    score
        grad log p(x_t, t): where the prior pulls every pixel, up where positive.
    psnr_before, psnr_after
        In dB, against the clean image, for a data range of 1; infinite for equal images.
    steps
        In which the estimate was made.
    milliseconds
        That score and estimate took.
    """

    noisy: FloatImage
    estimate: FloatImage
    score: FloatImage
    psnr_before: float
    psnr_after: float
    steps: int
    milliseconds: float

    @property
    def score_limit(self) -> float:
        """Contrast limit of the score, the same for both signs; a few extreme pixels may exceed it."""
        return float(np.percentile(np.abs(self.score), _SCORE_PERCENTILE)) or 1.0


def clean_image(name: str, data: NDArray[np.generic]) -> CleanImage:
    """Check the data of a layer and normalise them to a largest value of 1."""
    if data.ndim != 2:
        raise InputError(f"{name}: has shape {tuple(data.shape)}; choose a layer with one 2-D image.")
    if data.dtype.kind not in "fiub":
        raise InputError(f"{name}: holds {data.dtype} values; choose a layer with real numbers.")
    if max(data.shape) > _LARGEST_SIDE:
        raise InputError(f"{name}: has {data.shape[0]} x {data.shape[1]} pixels; crop it to {_LARGEST_SIDE} a side.")
    image = np.asarray(data, dtype=np.float32)
    if not np.isfinite(image).all():
        raise InputError(f"{name}: contains NaN or infinity; choose another layer.")
    largest = float(np.abs(image).max(initial=0.0))
    if largest == 0:
        raise InputError(f"{name}: is zero everywhere; choose another layer.")
    return CleanImage(name, image / np.float32(largest), largest)


def denoise_noisy_copy(clean: CleanImage, prior: ScorePrior, sigma: float, seed: int, steps: int = 1) -> Denoised:
    """Add noise and take it away again.

    Parameters
    ----------
    clean
        The image.
    prior
        The model.
    sigma
        Standard deviation of the noise, where the brightest pixel is 1.
    seed
        The same seed gives the same pattern at every level, so that only its strength changes while a slider moves.
    steps
        In which it is taken away.
    """
    if not 0 <= sigma <= LARGEST_SIGMA:
        raise InputError(f"sigma: {sigma:g} is not a noise level from 0 to {LARGEST_SIGMA:g}.")
    pattern = np.random.default_rng(seed).standard_normal(clean.image.shape, dtype=np.float32)
    noisy = clean.image + np.float32(sigma) * pattern
    begun = time.perf_counter()
    score = prior.score(torch.from_numpy(noisy), sigma).numpy()
    one_step = noisy + np.float32(sigma**2) * score
    estimate = one_step if steps == 1 else denoise_in_steps(prior, noisy, sigma, steps)
    return Denoised(
        noisy=noisy,
        estimate=estimate,
        score=score,
        psnr_before=_psnr(clean.image, noisy),
        psnr_after=_psnr(clean.image, estimate),
        steps=steps,
        milliseconds=1e3 * (time.perf_counter() - begun),
    )


def verdict(before: float, after: float) -> str:
    """Say how much was won."""
    if math.isinf(before):
        return "no noise: nothing to take away"
    return f"PSNR {before:.2f} dB → {after:.2f} dB ({after - before:+z.2f} dB)"


def account(clean: CleanImage, found: Denoised) -> str:
    """Say below the slider what was won and what it took, as HTML."""
    rows, columns = clean.image.shape
    steps = "one step" if found.steps == 1 else f"{found.steps} steps"
    return (
        f"<b>{verdict(found.psnr_before, found.psnr_after)}</b><br>"
        f"{rows} × {columns} pixels, {steps}, {found.milliseconds:.0f} ms; score within ±{found.score_limit:.3g} "
        f"(99.5 %). Intensities are divided by {clean.largest:.4g}, so that the brightest pixel is 1."
    )


def estimate_facts(found: Denoised) -> str:
    """Say in the title of the estimate what it is, and how good."""
    kind = "E[x₀|xₜ]" if found.steps == 1 else f"{found.steps} steps"
    quality = decibel_text(found.psnr_after)
    return f"{kind}, {quality}" if quality else kind


def decibel_text(quality: float) -> str:
    """Write a PSNR for a title; nothing for an image without an error."""
    return f"{quality:.1f} dB" if math.isfinite(quality) else ""


def _psnr(truth: FloatImage, image: FloatImage) -> float:
    error = float(np.mean((truth - image) ** 2, dtype=np.float64))
    return math.inf if error == 0 else -10 * math.log10(error)
