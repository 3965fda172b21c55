"""The exact posterior of small problems with one coil, by block Gibbs sampling on the mixture's component labels.

All components of an expert share one variance. Given which component every filter response belongs to, the image is
therefore Gaussian, with a precision that does not depend on labels: sum_k K_k^T K_k / sigma_k^2 + A^H A / sigma_y^2.
With one coil that is 1 everywhere it is diagonal in k-space, so that an image is drawn by one Fourier transform. Both
draws are exact and no step size is chosen: after enough sweeps these are samples of the posterior itself. Neighbouring
sweeps are alike, the more so the smaller sigma is, which is why this is a yardstick for 64 x 64 pixels and no preset.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.runtime.threads import fixed_blocks

_REACH = 6.0  # standard deviations around a response: components beyond have less than 1e-8 of the weight
_LEAST_WEIGHT = 1e-30  # of a component; its logarithm must be finite


@dataclass(frozen=True, eq=False)
class GibbsState:
    """All that is needed to go on: the image (rows, columns), sweeps taken, and the generator's state."""

    image: Tensor
    sweep: int
    noise: Tensor


class GibbsSampler:
    """Sweeps over labels and image of a real image seen by one coil.

    Parameters
    ----------
    measurement
        Of one coil, whose sensitivity is 1.
    prior
        The learned prior.
    sigma
        Noise level of the prior; the smaller, the slower the sweeps mix.
    data_noise
        Standard deviation of a real component of the data's noise.
    sweeps
        Of a full run.
    seed
        Of its noise.
    """

    def __init__(
        self, measurement: Measurement, prior: Prior, sigma: float, data_noise: float, sweeps: int = 1000, seed: int = 0
    ) -> None:
        if measurement.kspace.shape[0] != 1:
            raise InputError(
                f"gibbs: {measurement.source} has {measurement.kspace.shape[0]} coils; give a scan of one coil."
            )
        if not (data_noise > 0 and sigma > 0):
            raise InputError("gibbs: noise levels are positive; give standard deviations such as 0.02.")
        rows, columns = measurement.shape
        samples = torch.from_numpy(measurement.mask.samples)
        if not bool(samples[rows // 2, columns // 2]):
            raise InputError("gibbs: the mask leaves out the centre, so that nothing tells the mean of the image.")
        self.steps = sweeps
        self._seed = seed
        self._prior = prior
        self._spectra = prior.spectra(measurement.shape).to(torch.complex128)
        self._variances = prior.variances(sigma).double()
        mixtures = prior._mixtures(torch.zeros(1, dtype=torch.float64), sigma)
        self._logarithms = torch.stack([weights for weights, *_ in mixtures]).clamp_min(_LEAST_WEIGHT).log().numpy()
        self._means = mixtures[0][1].numpy()
        mask = torch.fft.ifftshift(samples.double(), dim=(-2, -1))
        mirrored = mask.flip((-2, -1)).roll((1, 1), (-2, -1))  # a real image answers for the opposite sample, too
        of_prior = (self._spectra.abs().square() / self._variances[:, None, None]).sum(dim=0)
        self._precision = of_prior + 0.5 * (mask + mirrored) / data_noise**2
        zero_filled = to_image(measurement.kspace.cpu().to(torch.complex128) * samples)[0].real
        self._pull = torch.fft.fft2(zero_filled) / data_noise**2
        self._first = zero_filled

    def start(self) -> GibbsState:
        """Begin with the zero-filled image."""
        return GibbsState(self._first, 0, torch.Generator().manual_seed(self._seed).get_state())

    @fixed_blocks()
    def step(self, state: GibbsState) -> GibbsState:
        """Draw all labels given the image, and then the image given all labels."""
        generator = torch.Generator()
        generator.set_state(state.noise)
        responses = torch.fft.ifft2(self._spectra.conj() * torch.fft.fft2(state.image)).real
        chance = torch.rand(responses.shape, generator=generator, dtype=torch.float64)
        spreads = self._variances.sqrt().numpy()
        drawn = np.empty(tuple(responses.shape))
        _draw_labels(responses.numpy(), chance.numpy(), self._logarithms, self._means, spreads, drawn)
        means = torch.fft.fft2(torch.from_numpy(drawn) / self._variances[:, None, None])
        xi = torch.randn(state.image.shape, generator=generator, dtype=torch.float64)
        pull = self._pull + (self._spectra * means).sum(dim=0) + self._precision.sqrt() * torch.fft.fft2(xi)
        return GibbsState(torch.fft.ifft2(pull / self._precision).real, state.sweep + 1, generator.get_state())

    def estimate(self, state: GibbsState) -> Estimate:
        """Show the sample."""
        return Estimate(state.image)


@njit(cache=True, error_model="numpy")
def _draw_labels(
    responses: NDArray[np.float64],
    chance: NDArray[np.float64],
    logarithms: NDArray[np.float64],
    means: NDArray[np.float64],
    spreads: NDArray[np.float64],
    drawn: NDArray[np.float64],
) -> None:
    """Draw the mean of a component for every response, as probable as the response makes it."""
    last = means.shape[0] - 1
    gap = means[1] - means[0]
    shares = np.empty(means.shape[0])
    for k in range(responses.shape[0]):
        reach = math.ceil(_REACH * spreads[k] / gap) + 1
        scale = 0.5 / spreads[k] ** 2
        for y in range(responses.shape[1]):
            for x in range(responses.shape[2]):
                value = responses[k, y, x]
                centre = min(max(int((value - means[0]) / gap), 0), last)
                low, high = max(centre - reach, 0), min(centre + reach, last)
                top = -np.inf
                for i in range(low, high + 1):
                    shares[i] = logarithms[k, i] - scale * (value - means[i]) ** 2
                    top = max(top, shares[i])
                total = 0.0
                for i in range(low, high + 1):
                    shares[i] = math.exp(shares[i] - top)
                    total += shares[i]
                left = chance[k, y, x] * total
                label = low
                while label < high and left > shares[label]:
                    left -= shares[label]
                    label += 1
                drawn[k, y, x] = means[label]
