"""Splitting: the Tweedie estimate in turns with an exact data step, on a short list of noise levels."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coil_kernels import seen
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.smooth_band import SmoothBand
from napari_pogmdm.recon.conjugate_gradients import Effort
from napari_pogmdm.recon.sampler.algorithms.base import Sampler
from napari_pogmdm.recon.sampler.algorithms.data_step import solve_image, solve_jointly
from napari_pogmdm.recon.sampler.algorithms.map_sets import more_sets
from napari_pogmdm.recon.sampler.algorithms.orientations import turned, turned_back
from napari_pogmdm.recon.sampler.algorithms.schedule import geometric_levels
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampler.state import SamplerState
from napari_pogmdm.recon.stepper import Estimate

_BAND = 16.0  # turns across the field of view: faster variations than coils at 3 T have
_CORNER = 8.0  # turns at which the roughness of a coil counts as 1
_FIRST_GRADIENTS = 8  # the first image is a rough one: the first estimate changes it more than further steps would
# Of |x|^2 beside |A x - y|^2, on the grid and along a trajectory: keeps noise out of what the data hardly see.
# Few spokes leave many of these, in which a first image grows that the prior has never seen, and then without end
# (validation scans, 16 golden-angle spokes, fast, weights 0.001, 0.02, 0.05, 0.15: measured head - 32.2 32.3 32.2 dB,
# simulated head - - 29.4 31.4 dB, where - did not end; with 32 and 64 spokes it makes no difference).
_FIRST_WEIGHTS = (1e-3, 0.15)


class Splitting(Sampler):
    """Half-quadratic splitting at falling noise levels sigma; sigma_y is the noise of the data, which is measured.

    ========  =================================================================================================
    denoise   x_0 <- E[x_0 | x at level sigma], after a step of momentum, of the image turned another way each time
    data      x, s <- argmin |A(x, s) - y|^2 + (kappa sigma_y / sigma)^2 |x - x_0|^2 + beta sigma_y^2 R(s)
    coils     x <- x RSS(s),  s <- s / RSS(s)
    ========  =================================================================================================
    """

    suspects = "lower momentum or injected_noise, or raise prior_weight or coil_smoothing"
    samples = False

    @classmethod
    def schedule(cls, settings: SamplerSettings) -> tuple[float, ...]:
        """Levels in even ratios."""
        return geometric_levels(settings.iterations, settings.largest_noise, settings.smallest_noise)

    @classmethod
    def substeps(cls, settings: SamplerSettings) -> tuple[str, ...]:
        """Estimate and data step, and the coils if they are unknown."""
        return ("denoise", "data", "coils") if cls._moves_coils(settings) else ("denoise", "data")

    @classmethod
    def draws(cls, settings: SamplerSettings) -> bool:
        """Whether fresh noise is injected, so that chains with other seeds differ."""
        return settings.injected_noise > 0

    @classmethod
    def _moves_coils(cls, settings: SamplerSettings) -> bool:
        return settings.update_coils and not settings.real_image

    def start(self) -> SamplerState:
        """Begin with a short least-squares fit of the image to the data."""
        coils = self._first_coils
        sets = coils[None, None] if self.settings.sets == 1 else coils[None]
        nothing = torch.zeros_like(sets[:, :, 0])
        image = solve_image(
            self._sense,
            nothing.real if self.settings.real_image else nothing,
            sets,
            self._zero_filled[None],
            torch.tensor([_FIRST_WEIGHTS[not self._sense.encoding.uniform]], device=nothing.device),
            Effort(_FIRST_GRADIENTS, self._cancelled),
        )
        return self._first_state(image[0, 0] if self.settings.sets == 1 else image[0])

    def denoise(self, state: SamplerState) -> SamplerState:
        """Tweedie estimate, after a step of momentum and with the injected share of the level's noise added."""
        ahead = torch.lerp(state.previous, state.image, 1 + self.settings.momentum)
        noise = state.noise
        if self.settings.injected_noise:
            xi, noise = self._draw(state)
            ahead = ahead + self.settings.injected_noise * self.levels[state.iteration] * xi
        cleaned = self._cleaned(ahead, state.iteration, self.level(state))
        return replace(state, previous=state.image, image=cleaned, noise=noise)

    def data(self, state: SamplerState) -> SamplerState:
        """Minimise |A x - y|^2 + w |x - x_0|^2 from the estimate x_0, over the coils as well where they are due."""
        misfit = self._residual(state)
        state = self._listen(state, misfit)
        noise = state.data_noise.to(state.image.device)
        weight = (self.settings.prior_weight * noise / self.levels[state.iteration]) ** 2
        effort = Effort(self.settings.conjugate_gradients, self._cancelled)
        image, coils = self._in_sets(state)
        if not self._moves_coils(self.settings) or not self._coils_are_due(state):
            found = solve_image(self._sense, image, coils, misfit, weight, effort)
            return replace(state, image=found.view_as(state.image))
        smoothing = self.settings.coil_smoothing * noise**2
        image, coils = solve_jointly(
            self._sense, self._band, self._zero_filled, image, coils, weight, smoothing, effort
        )
        return replace(state, image=image.view_as(state.image), coils=coils.view_as(state.coils))

    def coils(self, state: SamplerState) -> SamplerState:
        """Move RSS(s) into the image; the coils themselves have moved with it already."""
        return self._renormalised(state) if self._coils_are_due(state) else state

    def estimate(self, state: SamplerState, chain: int = 0) -> Estimate:
        """Show one chain; of several map sets what a scanner shows of them, with the first set's phase.

        That is the root sum of squares of the coil images to which all sets add: maps of one pixel that are no longer
        orthogonal interfere there.
        """
        if self.settings.sets == 1:
            return super().estimate(state, chain)
        one = slice(chain, chain + 1)
        shown = root_sum_of_squares(seen(state.image[one], state.coils[one]))[0]
        return Estimate(torch.polar(shown, state.image[chain, 0].angle()), state.coils[chain, 0])

    def found_noise(self, state: SamplerState) -> Tensor:
        """Noise of the data as each chain has learnt it on the way, (chains,)."""
        return state.data_noise

    def _cleaned(self, image: Tensor, iteration: int, level: float) -> Tensor:
        """Tweedie estimate, of the image in an orientation that is the iteration's own if that is set."""
        if not self.settings.turn_images:
            return self.prior.denoise(image, level)
        return turned_back(self.prior.denoise(turned(image, iteration), level), iteration)

    def _listen(self, state: SamplerState, residual: Tensor) -> SamplerState:
        """Learn the noise of the data from what the denoised image leaves unexplained where it is dark.

        The level only falls, as less and less signal is left in there.
        """
        if self.settings.data_noise:
            return state
        heard = self._noise_in(residual, state)
        return replace(state, data_noise=torch.minimum(state.data_noise.to(heard.device), heard))

    def _residual(self, state: SamplerState) -> Tensor:
        if self.settings.sets == 1:
            return super()._residual(state)
        return self._zero_filled - self._sense.resample(self._seen(state))

    def _seen(self, state: SamplerState) -> Tensor:
        return super()._seen(state) if self.settings.sets == 1 else seen(state.image, state.coils)

    def _in_sets(self, state: SamplerState) -> tuple[Tensor, Tensor]:
        """Image and coils with an axis for the map sets."""
        if self.settings.sets == 1:
            return state.image.unsqueeze(1), state.coils.unsqueeze(1)
        return state.image, state.coils

    def _choose_coils(self, coils: Tensor | None) -> Tensor:
        if self.settings.sets > 1 and self.settings.real_image:
            raise InputError("map_sets: more than one needs the splitting algorithm and a complex image; set it to 1.")
        self._band = SmoothBand(self._measurement.shape, _BAND, _CORNER, device=self._zero_filled.device)
        self._roughness = self._band.roughness.cpu()  # from which coils are drawn
        first = super()._choose_coils(coils)
        if self.settings.sets == 1 or first.ndim == 4:
            return first
        return more_sets(self._data.first_images, first, self.settings.sets)
