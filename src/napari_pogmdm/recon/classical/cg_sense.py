"""CG-SENSE: conjugate gradients on the normal equations with known coils."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from napari_pogmdm.recon.classical.least_squares import LeastSquares
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.conjugate_gradients import CgState
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.settings import Settings, setting


@dataclass(frozen=True)
class CgSenseSettings(Settings):
    """Settings of CG-SENSE."""

    title: ClassVar[str] = "cg-sense settings"

    steps: int = setting(20, "conjugate-gradient iterations", within=(0, 1_000_000))
    weight: float = setting(
        0.01,
        "weight of the penalty that limits noise where the samples determine the image poorly",
        symbol="w",
        formula="1/2 |A x - y|^2 + w/2 |x|^2",
        within=(0.0, 1e6),
    )
    coil_start: CoilStart = setting(CoilStart.LOW_PASS, "how the coils are estimated", symbol="s")


class CgSense(LeastSquares):
    """Minimise 1/2 |M F (s x) - y|^2 + weight/2 |x|^2 over complex images."""

    def __init__(
        self, measurement: Measurement, settings: CgSenseSettings | None = None, coils: Tensor | None = None
    ) -> None:
        self.settings = settings or CgSenseSettings()
        found = starting_coils(measurement, self.settings.coil_start) if coils is None else coils
        super().__init__(measurement, found, self.settings.weight)

    @property
    def steps(self) -> int:
        """Conjugate-gradient iterations of a full run."""
        return self.settings.steps

    def estimate(self, state: CgState) -> Estimate:
        """Show the image and the coils it was made with."""
        return Estimate(state.solution[0], self.coils)

    def penalty_gradient(self, image: Tensor) -> Tensor:
        """Weight times the image."""
        return self.settings.weight * image
