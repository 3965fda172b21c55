"""Joint total variation: image and coils together, TV on the one and smoothness on the other, by iPALM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from napari_pogmdm.physics.coils import normalise
from napari_pogmdm.physics.sense import coil_gradient, combine, image_gradient
from napari_pogmdm.physics.smoothness import SmoothnessProx
from napari_pogmdm.recon.classical.proximal import backtracked_step, inertia
from napari_pogmdm.recon.classical.variation import real_non_negative, total_variation
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.data_term import DataTerm
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.settings import Settings, setting

_LEAST_CURVATURE = 0.5  # of coil steps, as in the authors' joint TV; a dark image would allow ever longer ones


@dataclass(frozen=True)
class JointTvSettings(Settings):
    """Settings of joint total-variation reconstruction."""

    title: ClassVar[str] = "joint-tv settings"

    steps: int = setting(100, "iterations of iPALM, each with one image step and one coil step", within=(0, 1_000_000))
    weight: float = setting(
        0.0015,
        "weight of the total variation against the data term",
        symbol="w",
        formula="1/2 |A x - y|^2 + w TV(x) + b/2 |D s|^2",
        within=(0.0, 1e6),
    )
    smoothness: float = setting(
        0.3, "weight of half the squared coil differences against the data term", symbol="b", within=(0.0, 1e6)
    )
    epsilon: float = setting(
        1e-3,
        "intensity difference below which the total variation is rounded off",
        unit="intensity",
        symbol="ε",
        within=(0.0, 1e6),
    )
    real: bool = setting(False, "keep the image real and non-negative, so that the coils must carry all of its phase")
    coil_start: CoilStart = setting(CoilStart.LOW_PASS, "how the first coils are estimated", symbol="s_0")


@dataclass(frozen=True, eq=False)
class JointTvState:
    """Where iPALM stands.

    Attributes
    ----------
    image, coils
        Iterates.
    previous_image, previous_coils
        Those before them.
    iteration
        Steps done.
    image_lipschitz, coil_lipschitz
        Curvature estimates to begin the next step with.
    """

    image: Tensor
    coils: Tensor
    previous_image: Tensor
    previous_coils: Tensor
    iteration: int
    image_lipschitz: float
    coil_lipschitz: float


class JointTotalVariation:
    """Minimise 1/2 |M F (s x) - y|^2 + weight TV(x) + smoothness/2 |D s|^2 over x and over coils with RSS(s) = 1.

    Without the constraint, ever smaller coils and ever larger images would pay less and less for the same data.
    """

    def __init__(self, measurement: Measurement, settings: JointTvSettings | None = None) -> None:
        self.settings = settings or JointTvSettings()
        self._first_coils = starting_coils(measurement, self.settings.coil_start)
        self._data = DataTerm(measurement)
        self._smooth = SmoothnessProx(measurement.shape, device=measurement.kspace.device)

    @property
    def steps(self) -> int:
        """IPALM iterations of a full run."""
        return self.settings.steps

    def start(self) -> JointTvState:
        """Begin at the first coils and the first image that they see."""
        coils = self._first_coils
        image = self._constrain(combine(self._data.first_images, coils))
        return JointTvState(image, coils, image, coils, 0, 1.0, 1.0)

    def step(self, state: JointTvState) -> JointTvState:
        """Take one inertial proximal step on the image, then one on the coils."""
        onward = inertia(state.iteration)

        def image_objective(image: Tensor) -> tuple[Tensor, Tensor]:
            residual = self._data.residual(image, state.coils)
            variation, slope = total_variation(image, self.settings.epsilon)
            energy = self._data.energy(residual, state.coils * image) + self.settings.weight * variation
            gradient = image_gradient(residual, state.coils)
            return energy, (gradient.real if self.settings.real else gradient) + self.settings.weight * slope

        def coil_objective(coils: Tensor) -> tuple[Tensor, Tensor]:
            residual = self._data.residual(image, coils)
            return self._data.energy(residual, coils * image), coil_gradient(residual, image)

        point = state.image + onward * (state.image - state.previous_image)
        image, image_lipschitz = backtracked_step(
            image_objective,
            lambda new, _: self._constrain(new),
            point,
            state.image_lipschitz,
            self._data.sense.encoding,
        )
        point = state.coils + onward * (state.coils - state.previous_coils)
        coils, coil_lipschitz = backtracked_step(
            coil_objective,
            lambda new, step: normalise(self._smooth(new, step * self.settings.smoothness)),
            point,
            state.coil_lipschitz,
        )
        return JointTvState(
            image,
            coils,
            state.image,
            state.coils,
            state.iteration + 1,
            image_lipschitz,
            max(coil_lipschitz, _LEAST_CURVATURE),
        )

    def _constrain(self, image: Tensor) -> Tensor:
        return real_non_negative(image) if self.settings.real else image

    def estimate(self, state: JointTvState) -> Estimate:
        """Show the image, which is in units of RSS already, and the coils."""
        return Estimate(state.image, state.coils)
