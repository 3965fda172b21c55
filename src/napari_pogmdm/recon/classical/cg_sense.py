"""CG-SENSE: conjugate gradients on the normal equations with known coils."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from napari_pogmdm.physics.sense import Sense, combine
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.conjugate_gradients import CgState, Vector, advance, begin, whole
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.settings import Settings, setting

_CONVERGED = 1e-14  # share of the data's energy: the rounding of float32, squared


@dataclass(frozen=True)
class CgSenseSettings(Settings):
    """Settings of CG-SENSE."""

    title: ClassVar[str] = "cg-sense settings"

    steps: int = setting(20, "conjugate-gradient iterations", within=(0, 1_000_000))
    weight: float = setting(
        0.01,
        "weight of the penalty that keeps badly seen directions from filling with noise",
        symbol="w",
        formula="1/2 |A x - y|^2 + w/2 |x|^2",
        within=(0.0, 1e6),
    )
    coil_start: CoilStart = setting(CoilStart.LOW_PASS, "how the coils are estimated", symbol="s")


class CgSense:
    """Minimise 1/2 |M F (s x) - y|^2 + weight/2 |x|^2 over complex images."""

    def __init__(
        self, measurement: Measurement, settings: CgSenseSettings | None = None, coils: Tensor | None = None
    ) -> None:
        self.settings = settings or CgSenseSettings()
        self.coils = starting_coils(measurement, self.settings.coil_start) if coils is None else coils
        self._sense = Sense(measurement.encoding)
        self._target = combine(self._sense.zero_filled(measurement.kspace), self.coils)
        self._precondition = None if measurement.encoding.uniform else self._inverse

    @property
    def steps(self) -> int:
        """Conjugate-gradient iterations of a full run."""
        return self.settings.steps

    def start(self) -> CgState:
        """Begin at zero."""
        return begin((torch.zeros_like(self._target),), (self._target,), precondition=self._precondition)

    def step(self, state: CgState) -> CgState:
        """Take one conjugate-gradient step; a state that has converged stays as it is."""
        if float(whole(state.residual[0], state.residual[0])) <= _CONVERGED * float(whole(self._target, self._target)):
            return state
        return advance(state, self._normal, precondition=self._precondition)

    def estimate(self, state: CgState) -> Estimate:
        """Show the image and the coils it was made with."""
        return Estimate(state.solution[0], self.coils)

    def _inverse(self, vector: Vector) -> Vector:
        return (self._sense.encoding.inverse(self.settings.weight)(vector[0]),)

    def _normal(self, vector: Vector) -> Vector:
        (direction,) = vector
        return (self._sense.normal(direction, self.coils) + self.settings.weight * direction,)
