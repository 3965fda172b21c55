"""What all sampling algorithms share: data, prior, coils and noise generators, bound together as a pure stepper.

An algorithm is a subclass with one method for each substep of its ``plan``. Nothing here draws from a global generator:
every chain has its own, whose state travels in the `SamplerState`, so a chain is the same whether it runs alone or
beside others, and a run that was saved goes on where it stopped.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import ClassVar, Self

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.recon.coils.start import body_coil, starting_coils
from napari_pogmdm.recon.data_term import DataTerm
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.noise_floor import outer_noise, residual_noise
from napari_pogmdm.recon.sampler.settings import LIVE_SETTINGS, SamplerSettings
from napari_pogmdm.recon.sampler.state import Diverged, SamplerState
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.runtime.memory import keep_freed_memory
from napari_pogmdm.runtime.threads import fixed_blocks

# Norms beyond this multiple of the data's, or of the first coils', mean that a run has diverged: the noise of
# the paper's first level makes images up to about ten times as large, so that a healthy run stays well below.
_EXPLOSION = 30.0
_LEAST_MAGNITUDE = 1e-12  # of RSS(s), where coils are divided by it


class Sampler(ABC):
    """A sampling algorithm bound to a measurement, a prior and settings; `make_sampler` finds the right one.

    Parameters
    ----------
    measurement
        The data.
    prior
        The learned prior p(x, t).
    settings
        Settings of the run.
    seeds
        One for each chain that is run side by side.
    coils
        Known coils (coils, rows, columns) to start from, instead of the start that the settings name.
    cancelled
        Called inside long substeps and while the first coils are found; if it returns true, `Cancelled` is raised.

    Attributes
    ----------
    levels
        Noise standard deviations sigma, from the starting level down to the last.
    plan
        Names of the substeps of an iteration, in their order; each is a method.
    """

    suspects: ClassVar[str]
    """What to change in a run that diverged, in words."""

    samples: ClassVar[bool] = True
    """Whether chains are samples, so that their spread says how sure an image is."""

    def __init__(
        self,
        measurement: Measurement,
        prior: ScorePrior,
        settings: SamplerSettings,
        seeds: Sequence[int] = (0,),
        coils: Tensor | None = None,
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        keep_freed_memory()
        self.settings = settings
        self.prior = prior
        self.seeds = tuple(seeds)
        self.levels = self.schedule(settings)
        self.plan = self.substeps(settings)
        self._cancelled = cancelled
        self._measurement = measurement
        self._acceleration = measurement.noisy_acceleration
        self._data = DataTerm(measurement)
        self._sense, self._zero_filled = self._data.sense, self._data.zero_filled
        self._first_coils = self._choose_coils(coils)
        self._bound = _EXPLOSION * float(torch.linalg.vector_norm(self._data.first_images))
        self._coil_bound = _EXPLOSION * float(_size(self._first_coils))

    @classmethod
    @abstractmethod
    def schedule(cls, settings: SamplerSettings) -> tuple[float, ...]:
        """Noise standard deviations in the order of the run, from the starting level down to the last."""

    @classmethod
    @abstractmethod
    def substeps(cls, settings: SamplerSettings) -> tuple[str, ...]:
        """Names of the substeps of an iteration."""

    @classmethod
    def draws(cls, settings: SamplerSettings) -> bool:
        """Whether runs draw noise, so that chains with other seeds differ."""
        return True

    @abstractmethod
    def start(self) -> SamplerState:
        """Make the state before the first substep."""

    def with_settings(self, settings: SamplerSettings) -> Self:
        """Give a sampler that goes on from this one's states with other live settings, sharing all that is computed."""
        for field in fields(settings):
            if field.name not in LIVE_SETTINGS and getattr(settings, field.name) != getattr(self.settings, field.name):
                raise InputError(f"{field.name}: cannot change while a run is under way; start a new run.")
        changed = copy.copy(self)
        changed.settings = settings
        return changed

    def with_seeds(self, seeds: Sequence[int]) -> Self:
        """Give a sampler for other chains of the same run, sharing all that is computed."""
        other = copy.copy(self)
        other.seeds = tuple(seeds)
        return other

    @property
    def steps(self) -> int:
        """Iterations of a full run."""
        return len(self.levels) - 1

    @fixed_blocks()
    def substep(self, state: SamplerState) -> SamplerState:
        """Take the next substep, and see that the image stays within bounds; the very last one may denoise it."""
        done: SamplerState = getattr(self, self.plan[state.substep])(state)
        after = (state.substep + 1) % len(self.plan)
        new = replace(done, substep=after, iteration=state.iteration + (after == 0))
        # A number that is looked at makes the host wait for a graphics card: there, once an iteration must do.
        host = new.image.device.type == "cpu"
        if (host or after == 0) and not self._within_bounds(new, not host or new.coils is not state.coils):
            raise Diverged(f"sampler: the run diverged in iteration {state.iteration + 1}; {self.suspects}.", state)
        if self.settings.final_denoise and new.iteration == self.steps:
            return replace(new, image=self.tweedie(new))
        return new

    def step(self, state: SamplerState) -> SamplerState:
        """Finish the current iteration."""
        new = self.substep(state)
        while new.substep:
            new = self.substep(new)
        return new

    def level(self, state: SamplerState) -> float:
        """Noise standard deviation sigma of a state's image."""
        return self.levels[min(state.iteration, self.steps)]

    @fixed_blocks()
    def tweedie(self, state: SamplerState) -> Tensor:
        """Estimate of the clean image E[x_0 | x_t], (chains, rows, columns)."""
        return self.prior.denoise(state.image, self.level(state))

    def estimate(self, state: SamplerState, chain: int = 0) -> Estimate:
        """Show one chain."""
        return Estimate(state.image[chain], state.coils[chain])

    def found_noise(self, state: SamplerState) -> Tensor:
        """Noise of the data as each chain has found it, (chains,)."""
        return self._noise_in(self._residual(state), state)

    @fixed_blocks()
    def residual_kspace(self, state: SamplerState, chain: int = 0) -> Tensor:
        """Show what one chain leaves unexplained of the measured samples: y - A(x, s), (coils, rows, columns).

        Those along a trajectory are brought to the grid.
        """
        return self._sense.encoding.gridded(self._residual(state)[chain])

    @fixed_blocks()
    def misfit(self, state: SamplerState) -> float:
        """Measure the first chain's residual against the data: |y - A(x, s)| / |y|."""
        return self._data.share_unexplained(self._residual(state)[0], self._seen(state)[0])

    def _residual(self, state: SamplerState) -> Tensor:
        """Coil images (chains, coils, rows, columns) of y - A(x, s)."""
        return self._data.residual(state.image, state.coils)

    def _seen(self, state: SamplerState) -> Tensor:
        """Coil images (chains, coils, rows, columns) s x of the estimates."""
        return state.coils * state.image.unsqueeze(-3)

    def _noise_in(self, residual: Tensor, state: SamplerState) -> Tensor:
        """Noise of the data, (chains,), from the coil images of what the estimates leave unexplained."""
        return residual_noise(self._sense.encoding.whitened(residual), magnitude(state), self._acceleration)

    def _first_state(self, image: Tensor) -> SamplerState:
        """Begin all chains with an image (rows, columns) and the first coils."""
        chains = len(self.seeds)
        coils = self._first_coils.expand(chains, *self._first_coils.shape)
        noise = tuple(torch.Generator().manual_seed(seed).get_state() for seed in self.seeds)
        known = torch.full((chains,), self.settings.data_noise or outer_noise(self._measurement))
        image = image.expand(chains, *coils.shape[1:-3], *coils.shape[-2:])
        return SamplerState(image, coils, 0, 0, noise, torch.zeros(chains), known, image)

    def _choose_coils(self, coils: Tensor | None) -> Tensor:
        if coils is None and self.settings.real_image:
            return body_coil(self._measurement)
        if coils is None:
            coils = starting_coils(self._measurement, self.settings.coil_start, self._cancelled)
        return coils.to(self._zero_filled)

    def _coils_are_due(self, state: SamplerState) -> bool:
        return state.iteration % self.settings.coil_interval == 0

    def _renormalised(self, state: SamplerState) -> SamplerState:
        """Move RSS(s) into the image, so that it is 1, where the settings ask for it."""
        if not self.settings.renormalise:
            return state
        intensity = root_sum_of_squares(state.coils)
        unit = state.coils * intensity.clamp_min(_LEAST_MAGNITUDE).reciprocal().unsqueeze(-3)
        return replace(state, image=state.image * intensity, coils=unit)

    def _within_bounds(self, state: SamplerState, moved_coils: bool) -> bool:
        """Whether the image, and coils that moved, are finite and not many times larger than a run can make them."""
        chains = math.sqrt(len(self.seeds))
        arrays = (state.image, state.coils) if moved_coils else (state.image,)
        sizes = torch.stack([_size(array) for array in arrays]).tolist()
        return all(size <= chains * bound for size, bound in zip(sizes, (self._bound, self._coil_bound), strict=False))

    def _draw(self, state: SamplerState) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Draw standard normal noise like the image, each chain from its own generator on the CPU."""
        drawn, states = [], []
        for chain in state.noise:
            generator = torch.Generator()
            generator.set_state(chain)
            parts = 1 if self.settings.real_image else 2
            sample = torch.randn((parts, *state.image.shape[1:]), generator=generator)
            drawn.append(sample[0] if parts == 1 else torch.complex(sample[0], sample[1]))
            states.append(generator.get_state())
        return torch.stack(drawn).to(self._zero_filled.device), tuple(states)


def magnitude(state: SamplerState) -> Tensor:
    """|x| RSS(s) of every chain, (chains, rows, columns); several map sets as the root of the sum of their squares."""
    found = state.image.abs() * root_sum_of_squares(state.coils)
    return found if found.ndim == 3 else torch.linalg.vector_norm(found, dim=1)


def energies(images: Tensor) -> Tensor:
    """Squared norms of the real and the imaginary part of each image, (chains, parts)."""
    parts = torch.view_as_real(images) if images.is_complex() else images.unsqueeze(-1)
    return parts.square().sum(dim=(-3, -2))


def scaled(images: Tensor, factors: Tensor) -> Tensor:
    """Scale real and imaginary part of each image by its own factor."""
    if not images.is_complex():
        return images * factors[:, :1, None]
    return torch.view_as_complex((torch.view_as_real(images) * factors[:, None, None, :]).contiguous())


def _size(values: Tensor) -> Tensor:
    """Norm over everything; much faster on parts than on complex numbers."""
    return torch.linalg.vector_norm(torch.view_as_real(values) if values.is_complex() else values)
