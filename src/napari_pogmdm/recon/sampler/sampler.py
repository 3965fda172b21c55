"""The paper's Algorithm 1, and a faster relative of it, as pure steppers.

One iteration runs through named substeps, each of which is a line of the algorithm. Nothing in here draws from a global
generator: every chain has its own, whose state travels in the `SamplerState`, so a chain is the same whether it runs
alone or beside others, and a run that was saved goes on where it stopped.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import fields, replace

import torch
from torch import Tensor

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.physics.coil_kernels import seen
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_kspace
from napari_pogmdm.physics.sense import Sense, combine, image_gradient
from napari_pogmdm.physics.smooth_band import SmoothBand
from napari_pogmdm.physics.smoothness import SmoothnessProx
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.recon.coils.start import body_coil, starting_coils
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.noise_floor import outer_noise, residual_noise
from napari_pogmdm.recon.sampler.data_step import Effort, solve_image, solve_jointly
from napari_pogmdm.recon.sampler.map_sets import more_sets
from napari_pogmdm.recon.sampler.orientations import turned, turned_back
from napari_pogmdm.recon.sampler.settings import LIVE_SETTINGS, SamplerSettings
from napari_pogmdm.recon.sampler.state import Diverged, SamplerState
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.runtime.memory import keep_freed_memory

__all__ = ["Diverged", "Sampler", "SamplerState"]

_EXPLOSION = 30.0
_BAND = 16.0
_CORNER = 8.0
_FIRST_GRADIENTS = 8
_FIRST_WEIGHT = 1e-3


class Sampler:
    """Algorithm 1 bound to a measurement, a prior and settings.

    Parameters
    ----------
    seeds
        One for each chain that is run side by side.
    coils
        Known coils (coils, rows, columns) to start from, instead of the start that the settings name.
    cancelled
        Asked inside long substeps and while the first coils are found; saying yes raises `Cancelled`.
    """

    def __init__(
        self,
        measurement: Measurement,
        prior: Prior,
        settings: SamplerSettings,
        seeds: Sequence[int] = (0,),
        coils: Tensor | None = None,
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        if settings.map_sets > 1 and (settings.algorithm != "splitting" or settings.real_image):
            raise InputError("map_sets: more than one needs the splitting algorithm and a complex image; set it to 1.")
        keep_freed_memory()
        self.settings = settings
        self.prior = prior
        self.seeds = tuple(seeds)
        self.levels = settings.levels()
        self._cancelled = cancelled
        self._measurement = measurement
        self._acceleration = measurement.noisy_acceleration
        self._sense = Sense(measurement.mask_tensor)
        self._zero_filled = self._sense.zero_filled(measurement.kspace)
        self._smooth = SmoothnessProx(measurement.shape, device=measurement.kspace.device)
        self._band = SmoothBand(measurement.shape, _BAND, _CORNER, device=measurement.kspace.device)
        self._first_coils = self._choose_coils(coils)
        self._bound = _EXPLOSION * float(torch.linalg.vector_norm(self._zero_filled))
        self._coil_bound = _EXPLOSION * _size(self._first_coils)
        self.plan = self._plan()

    def with_settings(self, settings: SamplerSettings) -> Sampler:
        """Give a sampler that goes on from this one's states with other live settings, sharing all that is computed."""
        for field in fields(settings):
            if field.name not in LIVE_SETTINGS and getattr(settings, field.name) != getattr(self.settings, field.name):
                raise InputError(f"{field.name}: cannot change while a run is under way; start a new run.")
        changed = copy.copy(self)
        changed.settings = settings
        return changed

    @property
    def steps(self) -> int:
        """Iterations of a full run."""
        return len(self.levels) - 1

    def start(self) -> SamplerState:
        """Noise the zero-filled image to the first level; splitting starts from a short least-squares fit instead."""
        chains = len(self.seeds)
        coils = self._first_coils.expand(chains, *self._first_coils.shape)
        noise = tuple(_generator(seed).get_state() for seed in self.seeds)
        data_noise = self.settings.data_noise or outer_noise(self._measurement)
        image = self._first_image().expand(chains, *coils.shape[1:-3], *coils.shape[-2:])
        known = torch.full((chains,), data_noise)
        state = SamplerState(image, coils, 0, 0, noise, torch.zeros(chains), known, image)
        if self.settings.algorithm == "splitting":
            return state
        drawn, noise = self._draw(state)
        return replace(state, image=image + self.levels[0] * drawn, noise=noise)

    def substep(self, state: SamplerState) -> SamplerState:
        """Take the next substep, and see that the image stays within bounds; the very last one may denoise it."""
        done = self._line(self.plan[state.substep])(state)
        after = (state.substep + 1) % len(self.plan)
        new = replace(done, substep=after, iteration=state.iteration + (after == 0))
        if not self._within_bounds(new, new.coils is not state.coils):
            raise Diverged(
                f"sampler: the run left all bounds in iteration {state.iteration + 1}; lower {self._suspects()}.",
                state,
            )
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
        """Noise standard deviation of a state's image."""
        return self.levels[min(state.iteration, self.steps)]

    def tweedie(self, state: SamplerState) -> Tensor:
        """Estimate of the clean image E[x_0 | x_t], (chains, rows, columns)."""
        return self.prior.denoise(state.image, self.level(state))

    def estimate(self, state: SamplerState, chain: int = 0) -> Estimate:
        """Show one chain; several map sets as the root of the sum of their squares, with the first set's phase."""
        if self.settings.map_sets == 1:
            return Estimate(state.image[chain], state.coils[chain])
        first = state.image[chain, 0]
        return Estimate(torch.polar(_magnitude(state)[chain], first.angle()), state.coils[chain, 0])

    def found_noise(self, state: SamplerState) -> Tensor:
        """Noise of the data as each chain has found it, (chains,)."""
        if self.settings.algorithm == "splitting":
            return state.data_noise
        return residual_noise(self._residual(state), _magnitude(state), self._acceleration)

    def residual_kspace(self, state: SamplerState, chain: int = 0) -> Tensor:
        """Show what one chain leaves unexplained of the measured samples: y - A(x, s), (coils, rows, columns)."""
        return to_kspace(self._residual(state)[chain]) * self._sense.mask

    def misfit(self, state: SamplerState) -> float:
        """Measure the first chain's residual against the data: |y - A(x, s)| / |y|."""
        return math.sqrt(float(_energies(self._residual(state)[0]).sum() / _energies(self._zero_filled).sum()))

    def _line(self, name: str) -> Callable[[SamplerState], SamplerState]:
        """Give the substep of a name."""
        lines: dict[str, Callable[[SamplerState], SamplerState]] = {
            "predict": self._predict,
            "correct": self._correct,
            "denoise": self._denoise,
            "data": self._solve if self.settings.algorithm == "splitting" else self._data,
            "coils": self._coils,
        }
        return lines[name]

    def _predict(self, state: SamplerState) -> SamplerState:
        """Euler-Maruyama step of the reverse diffusion, with the score at the larger of the two levels."""
        before, after = self.levels[state.iteration], self.levels[state.iteration + 1]
        gap = before**2 - after**2
        drawn, noise = self._draw(state)
        image = self.prior.score(state.image, before).mul_(gap).add_(state.image).add_(drawn, alpha=math.sqrt(gap))
        return replace(state, image=image, noise=noise)

    def _correct(self, state: SamplerState) -> SamplerState:
        """One Langevin step; its length is set apart for real and imaginary part."""
        score = self.prior.score(state.image, self.levels[state.iteration + 1])
        drawn, noise = self._draw(state)
        length = 2 * self.settings.corrector_ratio * _energies(drawn) / _energies(score).clamp_min(1e-30)
        image = state.image + _scaled(score, length) + _scaled(drawn, (2 * length).sqrt())
        return replace(state, image=image, noise=noise, step_size=length.mean(dim=-1).cpu())

    def _data(self, state: SamplerState) -> SamplerState:
        """Gradient step on the data term."""
        gradient = image_gradient(self._residual(state), state.coils)
        if self.settings.real_image:
            gradient = gradient.real
        return replace(state, image=state.image - self.settings.data_step * gradient)

    def _denoise(self, state: SamplerState) -> SamplerState:
        """Tweedie estimate, after a step of momentum and with the injected share of the level's noise added."""
        level = self.levels[state.iteration]
        ahead = torch.lerp(state.previous, state.image, 1 + self.settings.momentum)
        state = replace(state, previous=state.image)
        if not self.settings.injected_noise:
            return replace(state, image=self._cleaned(ahead, state.iteration))
        drawn, noise = self._draw(state)
        noisy = ahead + self.settings.injected_noise * level * drawn
        return replace(state, image=self._cleaned(noisy, state.iteration), noise=noise)

    def _cleaned(self, image: Tensor, iteration: int) -> Tensor:
        """Tweedie estimate at the level of an iteration, of the image in an orientation of its own if that is set."""
        level = self.levels[iteration]
        if not self.settings.turn_images:
            return self.prior.denoise(image, level)
        return turned_back(self.prior.denoise(turned(image, iteration), level), iteration)

    def _solve(self, state: SamplerState) -> SamplerState:
        """Minimise |A x - y|^2 + w |x - x_0|^2 from the estimate x_0, over the coils as well if they are unknown."""
        misfit = self._residual(state)
        state = self._listen(state, misfit)
        noise = state.data_noise.to(state.image.device)
        weight = (self.settings.prior_weight * noise / self.levels[state.iteration]) ** 2
        effort = Effort(self.settings.conjugate_gradients, self._cancelled)
        image, coils = self._in_sets(state)
        if "coils" not in self.plan or not self._coils_are_due(state):
            return replace(
                state, image=solve_image(self._sense, image, coils, misfit, weight, effort).view_as(state.image)
            )
        smoothing = self.settings.coil_smoothing * noise**2
        image, coils = solve_jointly(
            self._sense, self._band, self._zero_filled, image, coils, weight, smoothing, effort
        )
        return replace(state, image=image.view_as(state.image), coils=coils.view_as(state.coils))

    def _coils(self, state: SamplerState) -> SamplerState:
        """Proximal gradient step on the coils; splitting has moved them with the image already."""
        coils = state.coils
        if not self._coils_are_due(state):
            return state
        if self.settings.algorithm == "predictor-corrector":
            image = state.image.conj().unsqueeze(-3)
            moved = torch.addcmul(coils, image, self._residual(state), value=self.settings.coil_step)
            if self._cancelled is not None and self._cancelled():  # smoothing many coils takes a while
                raise Cancelled
            coils = self._smooth(moved, self.settings.coil_smoothing)
        if not self.settings.renormalise:
            return replace(state, coils=coils)
        magnitude = root_sum_of_squares(coils)
        unit = coils * magnitude.clamp_min(1e-12).reciprocal().unsqueeze(-3)
        return replace(state, image=state.image * magnitude, coils=unit)

    def _coils_are_due(self, state: SamplerState) -> bool:
        return state.iteration % self.settings.coil_interval == 0

    def _within_bounds(self, state: SamplerState, moved_coils: bool) -> bool:
        """Whether the image, and coils that moved, are finite and not many times larger than a run can make them."""
        chains = math.sqrt(len(self.seeds))
        if not _size(state.image) <= chains * self._bound:
            return False
        return not moved_coils or _size(state.coils) <= chains * self._coil_bound

    def _suspects(self) -> str:
        """Name the settings that can make a run diverge."""
        if self.settings.algorithm == "splitting":
            return "momentum or injected_noise, or raise prior_weight or coil_smoothing"
        return "corrector_ratio, data_step or coil_step"

    def _plan(self) -> tuple[str, ...]:
        last = ("coils",) if self.settings.update_coils and not self.settings.real_image else ()
        if self.settings.algorithm == "splitting":
            return ("denoise", "data", *last)
        return ("predict", "data", *(("correct", "data") * self.settings.corrector_steps), *last)

    def _residual(self, state: SamplerState) -> Tensor:
        if self.settings.map_sets == 1:
            return self._sense.residual(state.image, state.coils, self._zero_filled)
        return self._zero_filled - self._sense.resample(seen(state.image, state.coils))

    def _in_sets(self, state: SamplerState) -> tuple[Tensor, Tensor]:
        """Image and coils with an axis for the map sets."""
        if self.settings.map_sets == 1:
            return state.image.unsqueeze(1), state.coils.unsqueeze(1)
        return state.image, state.coils

    def _first_image(self) -> Tensor:
        """Image of one chain that the first coils make of the data."""
        coils = self._first_coils
        if self.settings.algorithm == "predictor-corrector":
            image = combine(self._zero_filled, coils)
            return image.real if self.settings.real_image else image
        sets = coils[None, None] if self.settings.map_sets == 1 else coils[None]
        nothing = torch.zeros_like(sets[:, :, 0])
        image = solve_image(
            self._sense,
            nothing.real if self.settings.real_image else nothing,
            sets,
            self._zero_filled[None],
            torch.tensor([_FIRST_WEIGHT], device=nothing.device),
            Effort(_FIRST_GRADIENTS, self._cancelled),
        )
        return image[0, 0] if self.settings.map_sets == 1 else image[0]

    def _listen(self, state: SamplerState, residual: Tensor) -> SamplerState:
        """Learn the noise of the data from what the denoised image leaves unexplained where it is dark.

        The level only falls, as less and less signal is left in there.
        """
        if self.settings.data_noise or self.settings.algorithm != "splitting":
            return state
        heard = residual_noise(residual, _magnitude(state), self._acceleration).cpu()
        return replace(state, data_noise=torch.minimum(state.data_noise, heard))

    def _choose_coils(self, coils: Tensor | None) -> Tensor:
        if self.settings.real_image and coils is None:
            return body_coil(self._measurement)
        if coils is None:
            coils = starting_coils(self._measurement, self.settings.coil_start, self._cancelled)
        coils = coils.to(self._zero_filled)
        if self.settings.map_sets == 1 or coils.ndim == 4:
            return coils
        return more_sets(self._zero_filled, coils, self.settings.map_sets)

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


def _magnitude(state: SamplerState) -> Tensor:
    magnitude = state.image.abs() * root_sum_of_squares(state.coils)
    return magnitude if magnitude.ndim == 3 else torch.linalg.vector_norm(magnitude, dim=1)


def _size(values: Tensor) -> float:
    """Norm over everything; much faster on parts than on complex numbers."""
    return float(torch.linalg.vector_norm(torch.view_as_real(values) if values.is_complex() else values))


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def _energies(images: Tensor) -> Tensor:
    """Squared norms of the real and the imaginary part of each image, (chains, parts)."""
    parts = torch.view_as_real(images) if images.is_complex() else images.unsqueeze(-1)
    return parts.square().sum(dim=(-3, -2))


def _scaled(images: Tensor, factors: Tensor) -> Tensor:
    """Scale real and imaginary part of each image by its own factor."""
    if not images.is_complex():
        return images * factors[:, :1, None]
    return torch.view_as_complex((torch.view_as_real(images) * factors[:, None, None, :]).contiguous())
