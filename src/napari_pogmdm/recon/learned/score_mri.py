"""scoreMRI: the reverse diffusion of a network's score by predictor and corrector, each followed by the data.

The score is that of real images; real and imaginary parts are treated as two of them. Data consistency replaces what
was measured or, with coils, moves the image towards it. Either one image is seen through known coils (SENSE type), or
every coil image is reconstructed on its own and they are combined at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.settings import Settings, require_below, setting


class Combination(StrEnum):
    """How scoreMRI treats several coils."""

    SENSE = "sense"
    PER_COIL = "per-coil"


@dataclass(frozen=True)
class ScoreMriSettings(Settings):
    """Settings of scoreMRI; published are 2000 steps, all else as by default."""

    title: ClassVar[str] = "settings of score-mri"

    iterations: int = setting(
        500, "steps of the whole diffusion, of which a run takes the last part", symbol="N", within=(2, 100_000)
    )
    start: float = setting(0.2, "time of the diffusion, from 1 down to 0, at which a run starts", within=(0.001, 1.0))
    corrector_steps: int = setting(1, "corrector steps after every predictor step", symbol="M", within=(0, 100))
    signal_to_noise: float = setting(
        0.16, "sets the corrector's step", symbol="r", formula="ε = 2 (r ‖z‖ / ‖s‖)^2", within=(0.001, 10.0)
    )
    smallest_noise: float = setting(0.01, "noise at the end", symbol="σ_min", unit="intensity", within=(1e-5, 10.0))
    largest_noise: float = setting(378.0, "noise at time 1", symbol="σ_max", unit="intensity", within=(1e-4, 1e5))
    consistency: float = setting(
        1.0, "size of the step towards the data; 1 replaces samples by the measured ones", within=(0, 1)
    )
    combination: Combination = setting(
        Combination.SENSE, "one image seen through coils, or every coil image on its own with a root sum of squares"
    )
    real_image: bool = setting(False, "keep only the real part, for one coil and images without phase")

    def __post_init__(self) -> None:
        super().__post_init__()
        require_below(self, "smallest_noise", "largest_noise")

    def level(self, time: float) -> float:
        """Noise standard deviation at a time from 0 to 1."""
        return self.smallest_noise * float(self.largest_noise / self.smallest_noise) ** time


class Score(Protocol):
    """Anything that knows the score of noisy images."""

    def score(self, x: Tensor, sigma: float) -> Tensor:
        """Score of images (..., rows, columns), real or complex, with noise of standard deviation ``sigma``."""
        ...


@dataclass(frozen=True, eq=False)
class DiffusionState:
    """The image between two steps.

    Attributes
    ----------
    image
        (images, rows, columns): one, or one a coil.
    done
        Steps done.
    noise
        State of the random generator.
    """

    image: Tensor
    done: int
    noise: Tensor


class ScoreMri:
    """The sampler bound to a measurement and a score.

    Parameters
    ----------
    measurement
        To reconstruct from.
    score
        Of images with a largest value of about 1.
    settings
        Of the run.
    seed
        Of its noise.
    """

    def __init__(self, measurement: Measurement, score: Score, settings: ScoreMriSettings, seed: int = 0) -> None:
        if settings.real_image and measurement.coils > 1:
            raise InputError(f"real_image: {measurement.source} has {measurement.coils} coils; it is for one coil.")
        self.settings = settings
        self._score, self._seed = score, seed
        self._encoding, self._kspace = measurement.encoding, measurement.kspace
        alone = settings.combination is Combination.PER_COIL or measurement.coils == 1
        self._coils = None if alone else starting_coils(measurement)
        self._first = measurement.first_images if self._coils is None else self._combined(measurement.first_images)

    @property
    def steps(self) -> int:
        """Predictor steps of a run."""
        return max(1, round(self.settings.iterations * self.settings.start))

    def start(self) -> DiffusionState:
        """Begin with the zero-filled image and the noise of the first level."""
        generator = torch.Generator().manual_seed(self._seed)
        image = self._first.real if self.settings.real_image else self._first
        image = image + self._level(0) * self._draw(image, generator)
        return DiffusionState(image, 0, generator.get_state())

    def step(self, state: DiffusionState) -> DiffusionState:
        """Predict, correct, and after each of them meet the data."""
        generator = torch.Generator()
        generator.set_state(state.noise)
        now, later = self._level(state.done), self._level(state.done + 1)
        fall = now**2 - later**2
        image = state.image + fall * self._score.score(state.image, now)
        image = self._meet_data(image + fall**0.5 * self._draw(image, generator))
        for _ in range(self.settings.corrector_steps):
            slope, noise = self._score.score(image, later), self._draw(image, generator)
            length = torch.linalg.vector_norm(slope).clamp_min(torch.finfo(torch.float32).tiny)
            size = 2 * (self.settings.signal_to_noise * torch.linalg.vector_norm(noise) / length) ** 2
            image = self._meet_data(image + size * slope + (2 * size).sqrt() * noise)
        return DiffusionState(image, state.done + 1, generator.get_state())

    def estimate(self, state: DiffusionState) -> Estimate:
        """Show the image, or the root sum of squares of the coil images."""
        if self._coils is not None:
            return Estimate(state.image[0].abs())
        return Estimate(root_sum_of_squares(state.image) if len(state.image) > 1 else state.image[0].abs())

    def _level(self, done: int) -> float:
        return self.settings.level(self.settings.start * (1 - done / self.steps))

    def _draw(self, like: Tensor, generator: torch.Generator) -> Tensor:
        """White noise, of unit variance in the real and in the imaginary part."""
        if not like.is_complex():
            return torch.randn(like.shape, generator=generator).to(like)
        parts = torch.randn((2, *like.shape), generator=generator)
        return torch.complex(parts[0], parts[1]).to(like)

    def _meet_data(self, image: Tensor) -> Tensor:
        """Move towards the data by ``consistency`` A^H (y - A x)."""
        seen = image.to(torch.complex64)
        seen = seen if self._coils is None else seen * self._coils
        missing = self._encoding.adjoint(self._kspace - self._encoding.forward(seen))
        step = self.settings.consistency * (missing if self._coils is None else self._combined(missing))
        return image + (step.real if self.settings.real_image else step)

    def _combined(self, images: Tensor) -> Tensor:
        assert self._coils is not None
        return (images * self._coils.conj()).sum(dim=0, keepdim=True)
