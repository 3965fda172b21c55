"""CG-SENSE: conjugate gradients on the normal equations with known coils."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from napari_pogmdm.physics.sense import Sense, combine
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.inner_product import dot, energy
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate


@dataclass(frozen=True)
class CgSenseSettings:
    """Settings of CG-SENSE.

    Attributes
    ----------
    steps
        Conjugate-gradient iterations.
    weight
        Of the penalty weight/2 |x|^2, which keeps badly seen directions from filling with noise.
    coil_start
        How coils are estimated.
    """

    steps: int = 20
    weight: float = 0.01
    coil_start: str = "low-pass"


@dataclass(frozen=True, eq=False)
class CgState:
    """Iterate, residual of the normal equations, search direction, and the residual's squared norm."""

    image: Tensor
    residual: Tensor
    direction: Tensor
    energy: Tensor


class CgSense:
    """Minimise 1/2 |M F (s x) - y|^2 + weight/2 |x|^2 over complex images."""

    def __init__(
        self, measurement: Measurement, settings: CgSenseSettings | None = None, coils: Tensor | None = None
    ) -> None:
        self.settings = settings or CgSenseSettings()
        self.coils = starting_coils(measurement, self.settings.coil_start) if coils is None else coils
        self._sense = Sense(measurement.mask_tensor)
        self._target = combine(self._sense.zero_filled(measurement.kspace), self.coils)

    @property
    def steps(self) -> int:
        """Conjugate-gradient iterations of a full run."""
        return self.settings.steps

    def start(self) -> CgState:
        """Begin at zero."""
        residual = self._target
        return CgState(torch.zeros_like(residual), residual, residual, energy(residual))

    def step(self, state: CgState) -> CgState:
        """Take one conjugate-gradient step; a state that has converged stays as it is."""
        if float(state.energy) <= 1e-14 * float(energy(self._target)):
            return state
        direction = state.direction
        curvature = self._sense.normal(direction, self.coils) + self.settings.weight * direction
        length = state.energy / dot(direction, curvature)
        residual = state.residual - length * curvature
        remaining = energy(residual)
        return replace(
            state,
            image=state.image + length * direction,
            residual=residual,
            direction=residual + remaining / state.energy * direction,
            energy=remaining,
        )

    def estimate(self, state: CgState) -> Estimate:
        """Show the image and the coils it was made with."""
        return Estimate(state.image, self.coils)
