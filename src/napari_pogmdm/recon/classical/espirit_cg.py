"""ESPIRiT + CG: calibrated coils, kept to where there is an object, and conjugate gradients with a smooth image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from napari_pogmdm.recon.classical.least_squares import LeastSquares
from napari_pogmdm.recon.coils.support import calibrate
from napari_pogmdm.recon.conjugate_gradients import CgState
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.settings import Settings, setting

# Of 0.8, 0.9 and 0.95: the highest that cuts no tissue away on the validation scan, where 0.95 did at C4/4.
CROP = 0.9
_BOUNDED = 1e-4  # weight of |x|^2, which keeps the problem solvable where neither data nor neighbours say anything


@dataclass(frozen=True)
class EspiritCgSettings(Settings):
    """Settings of ESPIRiT + CG."""

    title: ClassVar[str] = "espirit-cg settings"

    steps: int = setting(30, "conjugate-gradient iterations", within=(0, 1_000_000))
    weight: float = setting(
        0.003,
        "weight of the penalty on differences of neighbouring pixels",
        symbol="w",
        formula="1/2 |A x - y|^2 + w/2 |D x|^2",
        within=(0.0, 1e6),
    )
    crop: float = setting(CROP, "eigenvalue of the calibration below which a pixel is background", within=(0.0, 1.0))


class EspiritCg(LeastSquares):
    """Minimise 1/2 |M F (s x) - y|^2 + weight/2 |D x|^2 over complex images that are zero off the object."""

    def __init__(self, measurement: Measurement, settings: EspiritCgSettings | None = None) -> None:
        self.settings = settings or EspiritCgSettings()
        self._calibrated = calibrate(measurement, self.settings.crop)
        super().__init__(measurement, self._calibrated.used, _BOUNDED)

    @property
    def steps(self) -> int:
        """Conjugate-gradient iterations of a full run."""
        return self.settings.steps

    def estimate(self, state: CgState) -> Estimate:
        """Show the image on the object, and the coils everywhere."""
        return Estimate(state.solution[0] * self._calibrated.support, self._calibrated.coils)

    def penalty_gradient(self, image: Tensor) -> Tensor:
        """Weight times what a pixel has more than its neighbours, and a little of the image itself."""
        return self.settings.weight * squared_differences_gradient(image) + _BOUNDED * image


def squared_differences_gradient(image: Tensor) -> Tensor:
    """Gradient of half the squared differences between neighbours of a (rows, columns) image that goes around."""
    shifted = [image.roll(step, axis) for axis in (0, 1) for step in (1, -1)]
    return len(shifted) * image - torch.stack(shifted).sum(dim=0)
