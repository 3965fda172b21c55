"""The paper's Algorithm 1, and a faster relative of it, as pure steppers.

One iteration runs through named substeps, each of which is a line of the algorithm. Nothing in here draws from a global
generator: every chain has its own, whose state travels in the `SamplerState`, so a chain is the same whether it runs
alone or beside others, and a run that was saved goes on where it stopped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.sense import Sense, combine, image_gradient
from napari_pogmdm.physics.smoothness import SmoothnessProx
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.recon.coil_start import body_coil, starting_coils
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.noise_floor import outer_noise, residual_noise
from napari_pogmdm.recon.settings import SamplerSettings
from napari_pogmdm.recon.stepper import Estimate

_EXPLOSION = 30.0


@dataclass(frozen=True, eq=False)
class SamplerState:
    """All that is needed to go on.

    Attributes
    ----------
    image
        (chains, rows, columns), complex or, for real images, real.
    coils
        (chains, coils, rows, columns).
    iteration
        Iterations finished.
    substep
        Index of the substep that comes next.
    noise
        One generator state a chain.
    step_size
        The corrector's last step eps, per chain (mean of real and imaginary part); zero before the first.
    data_noise
        Standard deviation of the noise in the data as known so far, per chain.
    """

    image: Tensor
    coils: Tensor
    iteration: int
    substep: int
    noise: tuple[Tensor, ...]
    step_size: Tensor
    data_noise: Tensor


class Diverged(InputError):  # noqa: N818 - it says what happened, as Cancelled does
    """A run left all bounds; ``state`` is the last good one."""

    def __init__(self, message: str, state: SamplerState) -> None:
        super().__init__(message)
        self.state = state

    def __reduce__(self) -> tuple[type[Diverged], tuple[str, SamplerState]]:
        return Diverged, (str(self), self.state)


class Sampler:
    """Algorithm 1 bound to a measurement, a prior and settings.

    Parameters
    ----------
    seeds
        One for each chain that is run side by side.
    coils
        Known coils (coils, rows, columns) to start from, instead of the start that the settings name.
    """

    def __init__(
        self,
        measurement: Measurement,
        prior: Prior,
        settings: SamplerSettings,
        seeds: Sequence[int] = (0,),
        coils: Tensor | None = None,
    ) -> None:
        self.settings = settings
        self.prior = prior
        self.seeds = tuple(seeds)
        self.levels = settings.levels()
        self._measurement = measurement
        self._acceleration = measurement.noisy_acceleration
        self._sense = Sense(measurement.mask_tensor)
        self._zero_filled = self._sense.zero_filled(measurement.kspace)
        self._smooth = SmoothnessProx(measurement.shape, device=measurement.kspace.device)
        self._first_coils = self._choose_coils(coils)
        self._bound = _EXPLOSION * float(torch.linalg.vector_norm(self._zero_filled))
        substeps: dict[str, Callable[[SamplerState], SamplerState]] = (
            {"predict": self._predict, "data": self._data, "correct": self._correct, "coils": self._coils}
            if settings.algorithm == "predictor-corrector"
            else {"denoise": self._denoise, "data": self._solve, "coils": self._coils}
        )
        self._substeps = substeps
        self.plan = self._plan()

    @property
    def steps(self) -> int:
        """Iterations of a full run."""
        return len(self.levels) - 1

    def start(self) -> SamplerState:
        """Noise the zero-filled image to the first level; splitting starts from the image itself."""
        chains = len(self.seeds)
        coils = self._first_coils.expand(chains, *self._first_coils.shape)
        image = combine(self._zero_filled, self._first_coils)
        image = (image.real if self.settings.real_image else image).expand(chains, *image.shape[-2:])
        noise = tuple(_generator(seed).get_state() for seed in self.seeds)
        data_noise = self.settings.data_noise or outer_noise(self._measurement)
        state = SamplerState(image, coils, 0, 0, noise, torch.zeros(chains), torch.full((chains,), data_noise))
        if self.settings.algorithm == "splitting":
            return state
        drawn, noise = self._draw(state)
        return replace(state, image=image + self.levels[0] * drawn, noise=noise)

    def substep(self, state: SamplerState) -> SamplerState:
        """Take the next substep."""
        done = self._substeps[self.plan[state.substep]](state)
        after = (state.substep + 1) % len(self.plan)
        return replace(done, substep=after, iteration=state.iteration + (after == 0))

    def step(self, state: SamplerState) -> SamplerState:
        """Finish the current iteration."""
        new = self.substep(state)
        while new.substep:
            new = self.substep(new)
        size = float(torch.linalg.vector_norm(new.image, dim=(-2, -1)).max())
        if not size <= self._bound:
            raise Diverged(
                f"sampler: the image left all bounds in iteration {state.iteration + 1}; lower {self._suspects()}.",
                state,
            )
        if self.settings.final_denoise and new.iteration == self.steps:
            return replace(new, image=self.tweedie(new))
        return new

    def level(self, state: SamplerState) -> float:
        """Noise standard deviation of a state's image."""
        return self.levels[min(state.iteration, self.steps)]

    def tweedie(self, state: SamplerState) -> Tensor:
        """Estimate of the clean image E[x_0 | x_t], (chains, rows, columns)."""
        return self.prior.denoise(state.image, self.level(state))

    def estimate(self, state: SamplerState, chain: int = 0) -> Estimate:
        """Show one chain."""
        return Estimate(state.image[chain], state.coils[chain])

    def found_noise(self, state: SamplerState) -> Tensor:
        """Noise of the data as each chain has found it, (chains,)."""
        if self.settings.algorithm == "splitting":
            return state.data_noise
        return residual_noise(self._residual(state), _magnitude(state), self._acceleration)

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
        """Tweedie estimate, after adding the injected share of the level's noise."""
        level = self.levels[state.iteration]
        if not self.settings.injected_noise:
            return replace(state, image=self.prior.denoise(state.image, level))
        drawn, noise = self._draw(state)
        noisy = state.image + self.settings.injected_noise * level * drawn
        return replace(state, image=self.prior.denoise(noisy, level), noise=noise)

    def _solve(self, state: SamplerState) -> SamplerState:
        """Minimise |A x - y|^2 + w |x - x_0|^2 from the estimate x_0 by conjugate gradients."""
        misfit = self._residual(state)
        state = self._listen(state, misfit)
        noise = state.data_noise.to(state.image.device)[:, None, None]
        weight = (self.settings.prior_weight * noise / self.levels[state.iteration]) ** 2
        image, coils = state.image, state.coils

        def real(full: Tensor) -> Tensor:
            return full.real if self.settings.real_image else full

        residual = real(combine(misfit, coils))
        direction, remaining = residual, _norms(residual)
        for _ in range(self.settings.conjugate_gradients):
            curvature = real(self._sense.normal(direction, coils)) + weight * direction
            length = remaining / _products(direction, curvature).clamp_min(1e-30)
            image = image + length * direction
            residual = residual - length * curvature
            before, remaining = remaining, _norms(residual)
            direction = residual + remaining / before.clamp_min(1e-30) * direction
        return replace(state, image=image)

    def _coils(self, state: SamplerState) -> SamplerState:
        """Proximal gradient step on the coils."""
        image = state.image.conj().unsqueeze(-3)
        moved = torch.addcmul(state.coils, image, self._residual(state), value=self.settings.coil_step)
        coils = self._smooth(moved, self.settings.coil_smoothing)
        if not self.settings.renormalise:
            return replace(state, coils=coils)
        magnitude = root_sum_of_squares(coils)
        unit = coils * magnitude.clamp_min(1e-12).reciprocal().unsqueeze(-3)
        return replace(state, image=state.image * magnitude, coils=unit)

    def _suspects(self) -> str:
        """Name the settings that can make a run diverge."""
        if self.settings.algorithm == "splitting":
            return "coil_step or coil_smoothing, or raise prior_weight"
        return "corrector_ratio, data_step or coil_step"

    def _plan(self) -> tuple[str, ...]:
        last = ("coils",) if self.settings.update_coils and not self.settings.real_image else ()
        if self.settings.algorithm == "splitting":
            return ("denoise", "data", *last)
        return ("predict", "data", *(("correct", "data") * self.settings.corrector_steps), *last)

    def _residual(self, state: SamplerState) -> Tensor:
        return self._sense.residual(state.image, state.coils, self._zero_filled)

    def _listen(self, state: SamplerState, residual: Tensor) -> SamplerState:
        """Learn the noise of the data from what the denoised image leaves unexplained where it is dark.

        The level only falls, as less and less signal is left in there.
        """
        if self.settings.data_noise or self.settings.algorithm != "splitting":
            return state
        heard = residual_noise(residual, _magnitude(state), self._acceleration).cpu()
        return replace(state, data_noise=torch.minimum(state.data_noise, heard))

    def _choose_coils(self, coils: Tensor | None) -> Tensor:
        if coils is not None:
            return coils.to(self._zero_filled)
        if self.settings.real_image:
            return body_coil(self._measurement)
        return starting_coils(self._measurement, self.settings.coil_start)

    def _draw(self, state: SamplerState) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Draw standard normal noise like the image, each chain from its own generator on the CPU."""
        drawn, states = [], []
        for chain in state.noise:
            generator = torch.Generator()
            generator.set_state(chain)
            parts = 1 if self.settings.real_image else 2
            sample = torch.randn((parts, *state.image.shape[-2:]), generator=generator)
            drawn.append(sample[0] if parts == 1 else torch.complex(sample[0], sample[1]))
            states.append(generator.get_state())
        return torch.stack(drawn).to(self._zero_filled.device), tuple(states)


def _magnitude(state: SamplerState) -> Tensor:
    return state.image.abs() * root_sum_of_squares(state.coils)


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


def _products(first: Tensor, second: Tensor) -> Tensor:
    return (first.conj() * second).real.sum(dim=(-2, -1), keepdim=True)


def _norms(images: Tensor) -> Tensor:
    return _products(images, images)
