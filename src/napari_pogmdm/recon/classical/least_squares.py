"""Conjugate gradients on the normal equations with known coils, for any quadratic penalty on the image."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor

from napari_pogmdm.physics.sense import Sense, combine
from napari_pogmdm.recon.conjugate_gradients import CgState, Vector, advance, begin, whole
from napari_pogmdm.recon.measurement import Measurement

_CONVERGED = 1e-14  # share of the data's energy: the rounding of float32, squared


class LeastSquares(ABC):
    """Minimise 1/2 |M F (s x) - y|^2 + R(x), R quadratic, over complex images; a method says what R is.

    Parameters
    ----------
    measurement
        y and M.
    coils
        s, (coils, rows, columns).
    least
        Least eigenvalue of R's second derivative, for the preconditioner of samples on no grid.
    """

    def __init__(self, measurement: Measurement, coils: Tensor, least: float) -> None:
        self.coils = coils
        self._sense = Sense(measurement.encoding)
        self._target = combine(self._sense.zero_filled(measurement.kspace), coils)
        self._least = least
        self._precondition = None if measurement.encoding.uniform else self._inverse

    def start(self) -> CgState:
        """Begin at zero."""
        return begin((torch.zeros_like(self._target),), (self._target,), precondition=self._precondition)

    def step(self, state: CgState) -> CgState:
        """Take one conjugate-gradient step; a state that has converged stays as it is."""
        if float(whole(state.residual[0], state.residual[0])) <= _CONVERGED * float(whole(self._target, self._target)):
            return state
        return advance(state, self._normal, precondition=self._precondition)

    @abstractmethod
    def penalty_gradient(self, image: Tensor) -> Tensor:
        """Gradient of R at an image; linear, as R is quadratic."""

    def _inverse(self, vector: Vector) -> Vector:
        return (self._sense.encoding.inverse(self._least)(vector[0]),)

    def _normal(self, vector: Vector) -> Vector:
        (image,) = vector
        return (self._sense.normal(image, self.coils) + self.penalty_gradient(image),)
