"""Coils without a calibration region: a few regularised Gauss-Newton steps on image and coils together.

The bilinear equation M F (s x) = y is linearised around the current estimate and solved by conjugate gradients, with a
penalty that is halved from step to step. Coils are written as s = W c, where W makes slow cosines of few coefficients
and damps the faster ones, so that a small c means a smooth s.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.physics.coils import normalise, root_sum_of_squares
from napari_pogmdm.physics.sense import Sense, combine
from napari_pogmdm.physics.smooth_band import SmoothBand
from napari_pogmdm.recon.inner_product import dot, energy
from napari_pogmdm.recon.measurement import Measurement

_DATA_NORM = 100.0
_BAND = 16.0
_SMOOTHNESS = 220.0
_SMOOTHNESS_POWER = 16
_INNER_STEPS = 4
_INNER_TOLERANCE = 1e-4

Pair = tuple[Tensor, Tensor]


def newton_start(measurement: Measurement, steps: int = 3, cancelled: Callable[[], bool] | None = None) -> Pair:
    """Estimate an image (rows, columns) and coils (coils, rows, columns) with a root sum of squares of 1.

    ``cancelled`` is asked before every conjugate gradient; saying yes raises `Cancelled`.
    """
    sense = Sense(measurement.mask_tensor)
    zero_filled = sense.zero_filled(measurement.kspace)
    scale = _DATA_NORM / torch.linalg.vector_norm(zero_filled)
    smooth = _SmoothCoils(measurement.shape, measurement.kspace)
    image = torch.ones_like(zero_filled[0])
    coefficients = smooth.adjoint(torch.zeros_like(zero_filled))
    first_image, weight = image, 1.0
    for _ in range(steps):
        coils = smooth(coefficients)
        residual = scale * zero_filled - sense.resample(coils * image)
        target = (
            combine(residual, coils) + weight * (first_image - image),
            smooth.adjoint(image.conj() * residual) - weight * coefficients,
        )

        def normal(pair: Pair, image: Tensor = image, coils: Tensor = coils, weight: float = weight) -> Pair:
            seen = sense.resample(coils * pair[0] + image * smooth(pair[1]))
            return (
                combine(seen, coils) + weight * pair[0],
                smooth.adjoint(image.conj() * seen) + weight * pair[1],
            )

        image_step, coefficient_step = _conjugate_gradients(normal, target, cancelled)
        image, coefficients = image + image_step, coefficients + coefficient_step
        weight /= 2
    coils = smooth(coefficients)
    return image * root_sum_of_squares(coils) / scale, normalise(coils)


class _SmoothCoils:
    """The operator W from coefficients to coils, and its adjoint."""

    def __init__(self, shape: tuple[int, int], like: Tensor) -> None:
        self._band = SmoothBand(shape, _BAND, _BAND, device=like.device)
        rows, columns = (
            (torch.arange(count, device=like.device) / (2 * size)) ** 2
            for count, size in zip(self._band.roughness.shape, shape, strict=True)
        )
        self._damping = (1 + _SMOOTHNESS * (rows[:, None] + columns)) ** (-_SMOOTHNESS_POWER / 2)

    def __call__(self, coefficients: Tensor) -> Tensor:
        return self._band.images(self._damping * coefficients)

    def adjoint(self, coils: Tensor) -> Tensor:
        return self._damping * self._band.coefficients(coils)


def _conjugate_gradients(
    normal: Callable[[Pair], Pair], target: Pair, cancelled: Callable[[], bool] | None = None
) -> Pair:
    """Solve the linearised problem for an image and coefficients together."""
    solution = (torch.zeros_like(target[0]), torch.zeros_like(target[1]))
    residual = direction = target
    remaining = first = _energy(residual)
    for _ in range(_INNER_STEPS):
        if cancelled is not None and cancelled():
            raise Cancelled
        curvature = normal(direction)
        length = remaining / (dot(direction[0], curvature[0]) + dot(direction[1], curvature[1]))
        solution = _add(solution, direction, length)
        residual = _add(residual, curvature, -length)
        before, remaining = remaining, _energy(residual)
        if float(remaining) < _INNER_TOLERANCE * float(first):
            break
        direction = _add(residual, direction, remaining / before)
    return solution


def _energy(pair: Pair) -> Tensor:
    return energy(pair[0]) + energy(pair[1])


def _add(first: Pair, second: Pair, factor: Tensor) -> Pair:
    return first[0] + factor * second[0], first[1] + factor * second[1]
