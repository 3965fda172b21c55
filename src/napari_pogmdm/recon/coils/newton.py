"""Coils without a calibration region: a few regularised Gauss-Newton steps on image and coils together.

The bilinear equation M F (s x) = y is linearised around the current estimate and solved by conjugate gradients, with a
penalty that is halved from step to step. Coils are written as s = W c, where W makes slow cosines of few coefficients
and damps the faster ones, so that a small c means a smooth s.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from napari_pogmdm.physics.coils import normalise, root_sum_of_squares
from napari_pogmdm.physics.sense import Sense, combine
from napari_pogmdm.physics.smooth_band import SmoothBand
from napari_pogmdm.recon.conjugate_gradients import Effort, Vector, conjugate_gradients
from napari_pogmdm.recon.measurement import Measurement

# Norm, damping and its power are those with which nonlinear inversion (Uecker et al. 2008) was published: with the data
# scaled to norm 100, a penalty that starts at 1 suits any scan.
_DATA_NORM = 100.0
_SMOOTHNESS = 220.0  # of the damping (1 + 220 |k|^2)^-8, k in cycles per field of view over the matrix size
_SMOOTHNESS_POWER = 16
_BAND = 16.0  # turns across the field of view; faster cosines are damped to nothing and need not be computed
NEWTON_STEPS = 3  # enough where the image is large; more let noise into the coils
_INNER_STEPS = 4  # conjugate gradients a Newton step: the next linearisation is worth more than a finer solution
_INNER_TOLERANCE = 1e-4  # share of the residual's energy below which the linearisation is the larger error


def newton_start(
    measurement: Measurement, steps: int = NEWTON_STEPS, cancelled: Callable[[], bool] | None = None
) -> tuple[Tensor, Tensor]:
    """Estimate an image (rows, columns) and coils (coils, rows, columns) with a root sum of squares of 1.

    Parameters
    ----------
    measurement
        The data.
    steps
        Gauss-Newton steps; the penalty is halved from one to the next.
    cancelled
        Asked before every conjugate gradient; saying yes raises `Cancelled`.
    """
    effort = Effort(_INNER_STEPS, cancelled, _INNER_TOLERANCE)
    sense = Sense(measurement.compensated)
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

        def normal(pair: Vector, image: Tensor = image, coils: Tensor = coils, weight: float = weight) -> Vector:
            seen = sense.resample(coils * pair[0] + image * smooth(pair[1]))
            return (
                combine(seen, coils) + weight * pair[0],
                smooth.adjoint(image.conj() * seen) + weight * pair[1],
            )

        nothing = (torch.zeros_like(target[0]), torch.zeros_like(target[1]))
        image_step, coefficient_step = conjugate_gradients(normal, nothing, target, effort)
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
