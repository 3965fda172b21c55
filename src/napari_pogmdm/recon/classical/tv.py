"""Total-variation reconstruction with known coils, by an accelerated proximal gradient method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from napari_pogmdm.physics.sense import image_gradient
from napari_pogmdm.recon.classical.proximal import backtracked_step, inertia
from napari_pogmdm.recon.classical.variation import real_non_negative, total_variation
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.coils.start import body_coil, starting_coils
from napari_pogmdm.recon.data_term import DataTerm
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.settings import Settings, setting


@dataclass(frozen=True)
class TvSettings(Settings):
    """Settings of total-variation reconstruction."""

    title: ClassVar[str] = "tv settings"

    steps: int = setting(100, "accelerated proximal-gradient iterations", within=(0, 1_000_000))
    weight: float = setting(
        0.0015,
        "weight of the total variation against the data term",
        symbol="w",
        formula="1/2 |A x - y|^2 + w TV(x)",
        within=(0.0, 1e6),
    )
    epsilon: float = setting(
        1e-3,
        "intensity difference below which the total variation is rounded off",
        unit="intensity",
        symbol="ε",
        within=(0.0, 1e6),
    )
    real: bool = setting(
        False, "keep the image real and non-negative; right for simulated single-coil data without phase"
    )
    coil_start: CoilStart = setting(CoilStart.LOW_PASS, "how the coils are estimated", symbol="s")


@dataclass(frozen=True, eq=False)
class TvState:
    """Where the iteration stands.

    Attributes
    ----------
    image, previous
        Iterate, and the one before it.
    iteration
        Steps done.
    lipschitz
        Curvature estimate to begin the next step with.
    """

    image: Tensor
    previous: Tensor
    iteration: int
    lipschitz: float


class TotalVariation:
    """Minimise 1/2 |M F (s x) - y|^2 + weight TV(x)."""

    def __init__(
        self, measurement: Measurement, settings: TvSettings | None = None, coils: Tensor | None = None
    ) -> None:
        self.settings = settings or TvSettings()
        if coils is None and self.settings.real:
            coils = body_coil(measurement)
        self.coils = starting_coils(measurement, self.settings.coil_start) if coils is None else coils
        self._data = DataTerm(measurement)

    @property
    def steps(self) -> int:
        """Iterations of a full run."""
        return self.settings.steps

    def start(self) -> TvState:
        """Begin at the first image."""
        image = self._constrain(-image_gradient(self._data.first_images, self.coils), 1.0)
        return TvState(image, image, 0, 1.0)

    def step(self, state: TvState) -> TvState:
        """Extrapolate from the last two iterates, then take one proximal-gradient step."""
        onward = inertia(state.iteration)
        point = state.image + onward * (state.image - state.previous)
        image, lipschitz = backtracked_step(
            self._objective, self._constrain, point, state.lipschitz, self._data.sense.encoding
        )
        return TvState(image, state.image, state.iteration + 1, lipschitz)

    def estimate(self, state: TvState) -> Estimate:
        """Show the image and the coils it was made with."""
        return Estimate(state.image, self.coils)

    def _objective(self, image: Tensor) -> tuple[Tensor, Tensor]:
        residual = self._data.residual(image, self.coils)
        variation, variation_gradient = total_variation(image, self.settings.epsilon)
        gradient = image_gradient(residual, self.coils)
        if self.settings.real:
            gradient = gradient.real
        return self._data.energy(residual, self.coils * image) + self.settings.weight * variation, (
            gradient + self.settings.weight * variation_gradient
        )

    def _constrain(self, image: Tensor, _step: float) -> Tensor:
        return real_non_negative(image) if self.settings.real else image
