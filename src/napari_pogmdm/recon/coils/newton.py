"""Coils without a calibration region: a few regularised Gauss-Newton steps on image and coils together.

The bilinear equation M F (s x) = y is linearised around the current estimate and solved by conjugate gradients, with a
penalty that is halved from step to step. Coils are written as s = W c, where W makes slow cosines of few coefficients
and damps the faster ones, so that a small c means a smooth s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
_SMOOTHNESS = 220.0  # of the damping (1 + 220 |k|^2)^-(power / 2), k in cycles per field of view over the matrix size
_BAND = 16.0  # turns across the field of view; faster cosines are damped to nothing and need not be computed
_INNER_TOLERANCE = 1e-4  # share of the residual's energy below which the linearisation is the larger error


@dataclass(frozen=True)
class NewtonPlan:
    """How the steps are taken.

    Attributes
    ----------
    steps
        Gauss-Newton steps; the penalty is halved from one to the next. Three are enough where the image is large; more
        let noise into the coils.
    inner
        Conjugate gradients a step: the next linearisation is worth more than a finer solution.
    power
        Twice the power of the damping of fast cosines.
    towards
        The image that the penalty draws to. With 1, an image without phase, the coils take the phase of the object;
        with 0, it stays in the image, where it belongs if it turns faster than coils do.
    """

    steps: int = 3
    inner: int = 4
    power: int = 16
    towards: float = 1.0


# Coils so smooth that they cannot follow the object. A uniform ball with three turns of phase (16 coils, 128 x 128,
# C4/8r, default): 32.5 dB, against 17.0 dB with nine steps of the usual kind.
SMOOTH_PLAN = NewtonPlan(steps=9, inner=8, power=32, towards=0.0)
_USUAL_PLAN = NewtonPlan()


def newton_start(
    measurement: Measurement, plan: NewtonPlan = _USUAL_PLAN, cancelled: Callable[[], bool] | None = None
) -> tuple[Tensor, Tensor]:
    """Estimate an image (rows, columns) and coils (coils, rows, columns) with a root sum of squares of 1.

    Parameters
    ----------
    measurement
        The data.
    plan
        How many steps, and of what kind.
    cancelled
        Asked before every conjugate gradient; saying yes raises `Cancelled`.
    """
    effort = Effort(plan.inner, cancelled, _INNER_TOLERANCE)
    sense = Sense(measurement.compensated)
    zero_filled = sense.zero_filled(measurement.kspace)
    scale = _DATA_NORM / torch.linalg.vector_norm(zero_filled)
    smooth = _SmoothCoils(measurement.shape, measurement.kspace, plan.power)
    image = torch.ones_like(zero_filled[0])
    coefficients = smooth.adjoint(torch.zeros_like(zero_filled))
    first_image, weight = plan.towards * image, 1.0
    for _ in range(plan.steps):
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

    def __init__(self, shape: tuple[int, int], like: Tensor, power: int) -> None:
        self._band = SmoothBand(shape, _BAND, _BAND, device=like.device)
        rows, columns = (
            (torch.arange(count, device=like.device) / (2 * size)) ** 2
            for count, size in zip(self._band.roughness.shape, shape, strict=True)
        )
        self._damping = (1 + _SMOOTHNESS * (rows[:, None] + columns)) ** (-power / 2)

    def __call__(self, coefficients: Tensor) -> Tensor:
        return self._band.images(self._damping * coefficients)

    def adjoint(self, coils: Tensor) -> Tensor:
        return self._damping * self._band.coefficients(coils)
