"""Algorithm 1 of the paper: predictor-corrector sampling of the image with proximal steps on the coils."""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Tensor

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.physics.normal import data_gradient
from napari_pogmdm.physics.sense import combine
from napari_pogmdm.physics.smoothness import SmoothnessProx
from napari_pogmdm.recon.sampler.algorithms.base import Sampler, energies, scaled
from napari_pogmdm.recon.sampler.algorithms.schedule import noise_levels
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampler.state import SamplerState

_LEAST_ENERGY = 1e-30  # of a score; a flat image has none, and takes no step


class PredictorCorrector(Sampler):
    """Algorithm 1, with xi ~ N(0, I), r = y - A(x, s) and noise levels zeta_i; every substep is one of its lines.

    ========  =================================================================================================
    predict   x <- x + (zeta_{i+1}^2 - zeta_i^2) score(x, zeta_{i+1}) + sqrt(zeta_{i+1}^2 - zeta_i^2) xi
    data      x <- x + lambda sum_c conj(s_c) F^H M^H r_c
    correct   x <- x + eps score(x, zeta_i) + sqrt(2 eps) xi,  eps = 2 r |xi|^2 / |score|^2   (then data; M times)
    coils     s <- (I + beta L)^-1 (s + alpha conj(x) F^H M^H r)
    ========  =================================================================================================
    """

    suspects = "lower the step ratio (corrector_ratio), data_step or coil_step"

    @classmethod
    def schedule(cls, settings: SamplerSettings) -> tuple[float, ...]:
        """Follow the paper's zeta(t) from t_0 down to 0."""
        rising = noise_levels(
            settings.iterations,
            settings.start_time,
            settings.schedule_power,
            settings.largest_noise,
            settings.smallest_noise,
        )
        return rising[::-1]

    @classmethod
    def substeps(cls, settings: SamplerSettings) -> tuple[str, ...]:
        """One predictor and M corrector steps, each with its data step, and the coils if they are unknown."""
        last = ("coils",) if settings.update_coils and not settings.real_image else ()
        return ("predict", "data", *(("correct", "data") * settings.corrector_steps), *last)

    def start(self) -> SamplerState:
        """Noise the first image to the first level."""
        image = combine(self._data.first_images, self._first_coils)
        state = self._first_state(image.real if self.settings.real_image else image)
        xi, noise = self._draw(state)
        return replace(state, image=state.image + self.levels[0] * xi, noise=noise)

    def predict(self, state: SamplerState) -> SamplerState:
        """Euler-Maruyama step of the reverse diffusion, with the score at the larger of the two levels."""
        before, after = self.levels[state.iteration], self.levels[state.iteration + 1]
        gap = before**2 - after**2
        xi, noise = self._draw(state)
        image = self.prior.score(state.image, before).mul_(gap).add_(state.image).add_(xi, alpha=math.sqrt(gap))
        return replace(state, image=image, noise=noise)

    def data(self, state: SamplerState) -> SamplerState:
        """Gradient step on the data term."""
        sets = state.image.unsqueeze(1), state.coils.unsqueeze(1)
        gradient = data_gradient(self._sense, *sets, self._zero_filled)[:, 0]
        if self.settings.real_image:
            gradient = gradient.real
        return replace(state, image=state.image - self.settings.data_step * gradient)

    def correct(self, state: SamplerState) -> SamplerState:
        """One Langevin step; its length is set apart for real and imaginary part."""
        score = self.prior.score(state.image, self.levels[state.iteration + 1])
        xi, noise = self._draw(state)
        length = 2 * self.settings.corrector_ratio * energies(xi) / energies(score).clamp_min(_LEAST_ENERGY)
        image = state.image + scaled(score, length) + scaled(xi, (2 * length).sqrt())
        return replace(state, image=image, noise=noise, step_size=length.mean(dim=-1))

    def coils(self, state: SamplerState) -> SamplerState:
        """Proximal gradient step on the coils."""
        if not self._coils_are_due(state):
            return state
        image = state.image.conj().unsqueeze(-3)
        unexplained = self._sense.encoding.compensated(self._residual(state))
        moved = torch.addcmul(state.coils, image, unexplained, value=self.settings.coil_step)
        if self._cancelled is not None and self._cancelled():  # smoothing many coils takes a while
            raise Cancelled
        return self._renormalised(replace(state, coils=self._smooth(moved, self.settings.coil_smoothing)))

    def _choose_coils(self, coils: Tensor | None) -> Tensor:
        if self.settings.map_sets > 1:
            raise InputError("map_sets: more than one needs the splitting algorithm and a complex image; set it to 1.")
        self._smooth = SmoothnessProx(self._measurement.shape, device=self._zero_filled.device)
        return super()._choose_coils(coils)
