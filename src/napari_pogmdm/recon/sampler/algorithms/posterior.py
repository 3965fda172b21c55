"""Posterior sampling: the Tweedie estimate in turns with an exact random draw of what the data and it leave open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.physics.coil_kernels import seen
from napari_pogmdm.recon.conjugate_gradients import Effort
from napari_pogmdm.recon.sampler.algorithms.base import energies, scaled
from napari_pogmdm.recon.sampler.algorithms.data_step import solve_image, solve_jointly
from napari_pogmdm.recon.sampler.algorithms.splitting import Splitting
from napari_pogmdm.recon.sampler.presets import Preset, preset
from napari_pogmdm.recon.sampler.settings import Algorithm, Choosing, SamplerSettings
from napari_pogmdm.recon.sampler.state import SamplerState

_LEAST_ENERGY = 1e-30  # of a score; a flat image has none, and takes no step


class Posterior(Splitting):
    """Draws from the posterior at falling noise levels sigma; sigma_y is the noise of the data, z is normal.

    ========  =================================================================================================
    predict   x_0 <- E[x_0 | x at level sigma], of the image turned another way each time
    draw      x, s ~ exp(-|A(x, s) - y|^2 / 2 sigma_y^2 - |x - x_0|^2 / 2 (c sigma)^2 - beta R(s) / 2)^(1 / tau^2)
    renoise   x <- x + eta sigma z at the next level, but not after the last: the last draw is the sample
    correct   x <- x + eps score(x, sigma) + sqrt(2 eps) z,  eps = 2 r |z|^2 / |score|^2   (M times)
    ========  =================================================================================================

    A draw perturbs and solves: noise of the right size is added to the data, to x_0 and to the coils that roughness is
    counted from, and the least-squares problem of splitting is solved. The solution has exactly that distribution.
    Noise has the same distribution as its opposite, so that chains may come in pairs that mirror each other's: each is
    a sample as before, and their mean is nearer to that of many chains.
    """

    suspects = "lower draw_width, injected_noise or the step ratio (corrector_ratio), or raise coil_smoothing"
    samples = True

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._begun: list[SamplerState] = []  # what all chains begin with, once it is known

    @classmethod
    def substeps(cls, settings: SamplerSettings) -> tuple[str, ...]:
        """Estimate, draw, noise for the next level, and Langevin steps."""
        return ("predict", "draw", "renoise", *("correct",) * settings.corrector_steps)

    @classmethod
    def draws(cls, settings: SamplerSettings) -> bool:
        """Chains with other seeds always differ."""
        return True

    def level(self, state: SamplerState) -> float:
        """Noise standard deviation sigma of a state's image."""
        unit = float(state.data_noise[0]) if self.settings.relative_levels else 1.0
        return unit * super().level(state)

    def start(self) -> SamplerState:
        """Begin all chains with the same image and coils, and noise of the first level that is each chain's own."""
        if not self._begun:
            self._begun.append(self._warm() if self.settings.warm_start else super().start())
        begun, chains = self._begun[0], len(self.seeds)

        def each(values: Tensor) -> Tensor:
            return values[:1].expand(chains, *values.shape[1:])

        state = replace(
            self._first_state(begun.image[0]),
            image=each(begun.image),
            coils=each(begun.coils),
            data_noise=each(begun.data_noise).cpu(),  # the level is read from it
        )
        xi, noise = self._draw(state)
        image = state.image + self.settings.draw_noise * self.level(state) * xi
        return replace(state, image=image, previous=image, noise=noise)

    def predict(self, state: SamplerState) -> SamplerState:
        """Tweedie estimate of the clean image."""
        estimate = self._cleaned(state.image, state.iteration, self.level(state))
        return replace(state, previous=state.image, image=estimate)

    def draw(self, state: SamplerState) -> SamplerState:
        """Draw the image, and the coils where they are due, from the Gaussian around the estimate and the data."""
        jointly = self._moves_coils(self.settings) and self._coils_are_due(state)
        settings, noise = self.settings, state.data_noise.to(state.image.device)
        width = settings.draw_width * self.level(state)
        xi, generators = self._draw(state)
        perturbation, towards, generators = self._perturbation(replace(state, noise=generators), jointly)
        data = self._zero_filled + noise[:, None, None, None] * perturbation
        image, coils = self._in_sets(state)
        near = image + settings.draw_noise * width * xi.view_as(image)
        weight = (noise / width) ** 2
        effort = Effort(settings.conjugate_gradients, self._cancelled)
        state = replace(state, noise=generators)
        if towards is None:
            misfit = data - self._sense.resample(seen(near, coils))
            found = solve_image(self._sense, near, coils, misfit, weight, effort)
            return replace(state, image=found.view_as(state.image))
        smoothing = settings.coil_smoothing * noise**2
        image, coils = solve_jointly(
            self._sense, self._band, data, image, coils, weight, smoothing, effort, (near, towards)
        )
        return self._renormalised(replace(state, image=image.view_as(state.image), coils=coils.view_as(state.coils)))

    def renoise(self, state: SamplerState) -> SamplerState:
        """Add a share of the next level's noise; the last draw stays as it is."""
        if not self.settings.injected_noise or state.iteration + 1 == self.steps:
            return state
        xi, noise = self._draw(state)
        after = self.level(replace(state, iteration=state.iteration + 1))
        return replace(state, image=state.image + self.settings.injected_noise * after * xi, noise=noise)

    def correct(self, state: SamplerState) -> SamplerState:
        """One Langevin step of the prior at the next level; its length is set apart for real and imaginary part."""
        if state.iteration + 1 == self.steps:
            return state
        score = self.prior.score(state.image, self.level(replace(state, iteration=state.iteration + 1)))
        xi, noise = self._draw(state)
        length = 2 * self.settings.corrector_ratio * energies(xi) / energies(score).clamp_min(_LEAST_ENERGY)
        image = state.image + scaled(score, length) + scaled(xi, (2 * length).sqrt())
        return replace(state, image=image, noise=noise, step_size=length.mean(dim=-1))

    def _first_state(self, image: Tensor) -> SamplerState:
        """Begin all chains; two that mirror each other share a generator's seed."""
        state = super()._first_state(image)
        if not self.settings.mirror_noise:
            return state
        shared = tuple(torch.Generator().manual_seed(seed - seed % 2).get_state() for seed in self.seeds)
        return replace(state, noise=shared)

    def _draw(self, state: SamplerState) -> tuple[Tensor, tuple[Tensor, ...]]:
        xi, generators = super()._draw(state)
        return xi * self._signs.to(xi.device).view(-1, *(1,) * (xi.ndim - 1)), generators

    @property
    def _signs(self) -> Tensor:
        """-1 for chains that mirror the one before, (chains,)."""
        mirrored = [self.settings.mirror_noise and seed % 2 == 1 for seed in self.seeds]
        return 1.0 - 2.0 * torch.tensor(mirrored, dtype=torch.float32)

    def _perturbation(self, state: SamplerState, jointly: bool) -> tuple[Tensor, Tensor | None, tuple[Tensor, ...]]:
        """Draw noise of the data as coil images, coefficients of coils from their own prior, and new generators.

        Both have the share of their noise that is asked for.
        """
        data, coils, states = [], [], []
        strength = self.settings.coil_smoothing * self._roughness
        width = torch.where(strength > 0, strength.rsqrt(), 0.0)  # what costs nothing is not drawn
        count, sets = self._zero_filled.shape[-3], self.settings.sets
        for chain, share in zip(state.noise, (self.settings.draw_noise * self._signs).tolist(), strict=True):
            generator = torch.Generator()
            generator.set_state(chain)
            data.append(share * self._sense.encoding.noise(count, generator, self._zero_filled.device))
            if jointly:
                parts = share * torch.randn((2, sets, count, *width.shape), generator=generator)
                coils.append(torch.complex(parts[0], parts[1]) * width)
            states.append(generator.get_state())
        towards = torch.stack(coils).to(self._zero_filled.device) if jointly else None
        return torch.stack(data), towards, tuple(states)

    def _warm(self) -> SamplerState:
        """Find what splitting ends with, without noise of its own."""
        own = self.settings
        settings = replace(
            preset(Preset.DEFAULT),
            algorithm=Algorithm.SPLITTING,
            injected_noise=0.0,
            choose=Choosing.NONE,
            **{
                name: getattr(own, name)
                for name in (
                    *("data_noise", "turn_images", "update_coils", "coil_start", "map_sets"),
                    *("coil_smoothing", "renormalise", "real_image"),
                )
            },
        )
        sampler = Splitting(self._measurement, self.prior, settings, (0,), self._first_coils)
        state = sampler.start()
        while state.iteration < sampler.steps:
            if self._cancelled is not None and self._cancelled():
                raise Cancelled
            state = sampler.step(state)
        return state
