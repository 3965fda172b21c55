"""The steps that a prior is trained for: a reconstruction by splitting with known coils, and denoising in steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from napari_pogmdm.recon.conjugate_gradients import Effort, Vector, chainwise, conjugate_gradients
from napari_pogmdm.recon.sampler.algorithms.denoising import EIGHTH, FIRST, STEPS, WEIGHT
from napari_pogmdm.recon.sampler.algorithms.orientations import turned, turned_back
from napari_pogmdm.recon.sampler.algorithms.schedule import geometric_levels
from napari_pogmdm.training.unrolled.estimate import estimate
from napari_pogmdm.training.unrolled.scans import SimulatedScan
from napari_pogmdm.training.unrolled.tables import Level, LevelGradient

Estimate = Callable[[Tensor], Tensor]
"""Of the clean image from noisy real images (images, rows, columns), at one noise level, differentiable."""

# Those of the preset `fast`; they stand here again because a training must repeat when the preset has changed.
LEVELS = geometric_levels(20, 0.07, 0.009)[:-1]
PRIOR_WEIGHT = 0.6
MOMENTUM = 0.7
GRADIENTS = 4
FIRST_GRADIENTS, FIRST_WEIGHT = 8, 1e-3  # of the first image, as in splitting

_DECIBEL = 10 / math.log(10)  # of a natural logarithm
_FLOOR = 1e-7  # mean square error, -70 dB, below which an image without tissue counts no further
_STEP_FLOOR = 1e-6  # the same for patches, most of which are darker than whole images
_MARGIN = 8  # pixels at the border of a patch that stay out of the error, as patches are not periodic


class _Normal(torch.autograd.Function):
    """A^H A, which is its own adjoint."""

    @staticmethod
    def forward(ctx: Any, image: Tensor, scan: SimulatedScan) -> Tensor:
        ctx.scan = scan
        return scan.normal(image.detach())

    @staticmethod
    def backward(ctx: Any, *outputs: Tensor) -> tuple[Tensor | None, ...]:
        return ctx.scan.normal(outputs[0]), None


def _fitted(scan: SimulatedScan, start: Tensor, weight: float, steps: int) -> Tensor:
    """Minimise |A x - y|^2 + w |x - x_0|^2 from x_0 = ``start``, differentiably in it."""

    def normal(vector: Vector) -> Vector:
        (direction,) = vector
        curved: Tensor = _Normal.apply(direction[0], scan)  # type: ignore[no-untyped-call]
        return (curved[None] + weight * direction,)

    residual = scan.combined - _Normal.apply(start, scan)  # type: ignore[no-untyped-call]
    return conjugate_gradients(normal, (start[None],), (residual[None],), Effort(steps), chainwise)[0][0]


def by_experts(levels: Sequence[Level], gradients: Sequence[LevelGradient]) -> list[Estimate]:
    """Tweedie's estimates of a prior of small filters.

    Parameters
    ----------
    levels
        The prior at the noise levels.
    gradients
        Of the levels; added to when what is made of the estimates is differentiated.
    """
    return [partial(estimate, level=level, gradient=own) for level, own in zip(levels, gradients, strict=True)]


def reconstruct(scan: SimulatedScan, estimates: Sequence[Estimate]) -> Tensor:
    """Reconstruct by `Splitting` with the scan's own coils, which stay as they are.

    Parameters
    ----------
    scan
        What is reconstructed.
    estimates
        Of the prior, at `LEVELS` or the first of them.

    Returns
    -------
    Complex (rows, columns).
    """
    image = _fitted(scan, torch.zeros_like(scan.combined), FIRST_WEIGHT, FIRST_GRADIENTS)
    image = previous = image.detach().requires_grad_()  # so that a graph is kept; those of the prior are kept apart
    for number, (sigma, cleaned_at) in enumerate(zip(LEVELS, estimates, strict=False)):
        ahead = turned(torch.lerp(previous, image, 1 + MOMENTUM), number)
        cleaned = cleaned_at(torch.view_as_real(ahead.resolve_conj()).movedim(-1, 0).contiguous())
        start = turned_back(torch.complex(cleaned[0], cleaned[1]), number)
        weight = (PRIOR_WEIGHT * scan.noise / sigma) ** 2
        previous, image = image, _fitted(scan, start, weight, GRADIENTS)
    return image


def error(image: Tensor, scan: SimulatedScan) -> Tensor:
    """Squared error of the magnitude against the scan's image, in decibels of its largest value; lower is better."""
    inner = slice(scan.edge, image.shape[-2] - scan.edge)
    truth = scan.image.abs()
    misfit = (image.abs() - truth)[inner].square().mean() / truth.max() ** 2
    return _DECIBEL * (misfit + _FLOOR).log()


def denoise(noisy: Tensor, sigma: float, estimates: Sequence[Estimate]) -> Tensor:
    """Denoise as `denoise_in_steps` does, differentiably.

    Parameters
    ----------
    noisy
        Real images (images, rows, columns).
    sigma
        Standard deviation of their noise.
    estimates
        Of the prior, at `denoising_levels` of sigma.
    """
    image = cleaned = noisy
    for number, (level, cleaned_at) in enumerate(zip(denoising_levels(sigma), estimates, strict=True)):
        cleaned = turned_back(cleaned_at(turned(image, number).contiguous()), number)
        weight = (WEIGHT * sigma / level) ** 2
        image = (noisy + weight * cleaned) / (1 + weight)
    return cleaned


def denoising_levels(sigma: float) -> tuple[float, ...]:
    """Noise levels at which an image with noise sigma is denoised in steps."""
    return geometric_levels(STEPS, FIRST * sigma, EIGHTH * sigma)[:-1]


def denoising_error(estimates: Tensor, clean: Tensor) -> Tensor:
    """Mean squared error of patches (patches, rows, columns) away from their borders, in decibels."""
    inner = slice(_MARGIN, -_MARGIN)
    return _DECIBEL * ((estimates - clean)[:, inner, inner].square().mean() + _STEP_FLOOR).log()
