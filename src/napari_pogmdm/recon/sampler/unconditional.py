"""Images that the prior alone would draw, by annealed Langevin dynamics: no data, no coils, a pure stepper.

A product of local experts knows edges and textures, not anatomy: what it draws looks like patches of tissue, never like
a head or a knee. Its filters have no mean, so the prior has no opinion on an image's mean either; it is kept fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.recon.defaults import LARGEST_SEED
from napari_pogmdm.recon.sampler.algorithms.schedule import geometric_levels
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.runtime.threads import fixed_blocks
from napari_pogmdm.settings import Settings, require_below, setting


@dataclass(frozen=True)
class PriorSamplingSettings(Settings):
    """Settings of unconditional sampling."""

    title: ClassVar[str] = "prior sampling settings"

    rows: int = setting(128, "rows of the image", unit="pixels", within=(16, 1024))
    columns: int = setting(128, "columns of the image", unit="pixels", within=(16, 1024))
    levels: int = setting(
        100, "noise levels σ, in even ratios from the largest down to the smallest", within=(1, 10_000)
    )
    corrections: int = setting(
        5,
        "Langevin steps at each level; the more of them, the larger the patches that fit together",
        within=(1, 1000),
    )
    largest_noise: float = setting(
        0.5, "noise level at which a drawing begins", symbol="σ_max", unit="intensity", within=(1e-4, 10.0)
    )
    smallest_noise: float = setting(
        0.01, "noise level at which it ends", symbol="σ_min", unit="intensity", within=(1e-4, 10.0)
    )
    step_ratio: float = setting(
        0.05,
        "length of a Langevin step relative to the noise it adds, as in the corrector of Algorithm 1",
        label="Step ratio r",
        symbol="r",
        formula="ε = 2 r |ξ|^2 / |score|^2",
        within=(1e-6, 1.0),
    )
    mean: float = setting(
        0.4, "mean of the image, about which the prior says nothing", unit="intensity", within=(-10.0, 10.0)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_below(self, "smallest_noise", "largest_noise")


@dataclass(frozen=True, eq=False)
class PriorSample:
    """All that is needed to go on: the image (rows, columns), Langevin steps taken, and the generator's state."""

    image: Tensor
    step: int
    noise: Tensor


class PriorSampler:
    """Annealed Langevin dynamics on the prior; the same seed gives the same bits."""

    def __init__(self, prior: ScorePrior, settings: PriorSamplingSettings | None = None, seed: int = 0) -> None:
        self.prior = prior
        self.settings = settings or PriorSamplingSettings()
        if not 0 <= seed <= LARGEST_SEED:
            raise InputError(f"seed: {seed} is not a whole number from 0 to {LARGEST_SEED}.")
        self._seed = seed
        chosen = self.settings
        self._levels = geometric_levels(chosen.levels, chosen.largest_noise, chosen.smallest_noise)

    @property
    def steps(self) -> int:
        """Langevin steps of a full run."""
        return self.settings.levels * self.settings.corrections

    def level(self, state: PriorSample) -> float:
        """Noise level sigma of the step that comes next, or of the last."""
        return self._levels[state.step // self.settings.corrections]

    @fixed_blocks()
    def start(self) -> PriorSample:
        """Begin with nothing but noise around the mean."""
        generator = torch.Generator().manual_seed(self._seed)
        drawn = self._draw(generator)
        return PriorSample(self.settings.mean + self.settings.largest_noise * drawn, 0, generator.get_state())

    @fixed_blocks()
    def step(self, state: PriorSample) -> PriorSample:
        """Take one Langevin step x <- x + eps score(x, sigma) + sqrt(2 eps) xi."""
        generator = torch.Generator()
        generator.set_state(state.noise)
        drawn = self._draw(generator)
        score = self.prior.score(state.image, self.level(state))
        length = 2 * self.settings.step_ratio * drawn.square().sum() / score.square().sum().clamp_min(1e-30)
        image = state.image + length * score + (2 * length).sqrt() * drawn
        return PriorSample(image, state.step + 1, generator.get_state())

    def tweedie(self, state: PriorSample) -> Tensor:
        """Estimate what the noisy image hides, E[x_0 | x_t]."""
        return self.prior.denoise(state.image, self.level(state))

    def estimate(self, state: PriorSample) -> Estimate:
        """Show the estimate E[x_0 | x_t]; at the last level it hardly differs from the sample itself."""
        return Estimate(self.tweedie(state))

    def _draw(self, generator: torch.Generator) -> Tensor:
        """Draw standard normal noise that leaves the mean alone."""
        drawn = torch.randn(self.settings.rows, self.settings.columns, generator=generator)
        return drawn - drawn.mean()
