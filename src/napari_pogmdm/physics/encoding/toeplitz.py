"""Samples along a trajectory, as a Toeplitz operator: no non-uniform transform in any loop.

``F^H W F`` is a convolution with the point-spread function of the trajectory. It is not circular, but it is part of a
circular one on a grid of twice the size: two padded FFTs a coil image. The best circular approximation on the grid
itself (T. Chan 1988) tells how often each frequency was measured, and makes preconditioners that cost one FFT more.
"""

from __future__ import annotations

from functools import cached_property

import torch
from scipy.fft import next_fast_len
from torch import Tensor

from napari_pogmdm.physics.encoding.encoding import Filter, FourierEncoding
from napari_pogmdm.physics.encoding.nufft import adjoint_nufft, nufft
from napari_pogmdm.physics.fourier import PLANE, to_kspace

_BLUR = 0.1  # of the mean density: coils spread what was measured over neighbouring frequencies, so that none is unseen
_UNSEEN = 0.05  # times a frequency was measured; what was measured less is not shown, and not made up for


class ToeplitzEncoding(FourierEncoding):
    """E = W^(1/2) F with the transform F at the places of a trajectory, scaled as if they were on the grid.

    Parameters
    ----------
    positions
        (samples, 2) along rows and columns in cycles per pixel.
    shape
        Rows and columns of the image.
    weights
        (samples,), or (coils, samples) where coils differ: true and false for what a fit may see, or density weights.
        By default every sample counts once.
    device
        Where the images are.
    """

    uniform = False

    def __init__(
        self,
        positions: Tensor,
        shape: tuple[int, int],
        weights: Tensor | None = None,
        device: str | torch.device = "cpu",
    ) -> None:
        self._positions = positions.cpu().to(torch.float64)
        self._shape = shape
        ones = torch.ones(len(positions), dtype=torch.float64) if weights is None else weights.to(torch.float64)
        self._weights = ones.to(device, torch.float32)
        self._exact_weights = ones.cpu()
        self._padded = tuple(next_fast_len(2 * size) for size in shape)
        self.share = float(ones.sum(dim=-1).mean() / (shape[0] * shape[1]))

    @cached_property
    def density(self) -> Tensor:
        """How often each frequency of the grid was measured, in the order of the FFT.

        (rows, columns), or with a leading axis of coils where they differ.
        """
        return _circulant_of(self._spread).to(self._weights.device, torch.float32)

    @cached_property
    def _kernel(self) -> Tensor:
        return _spectrum_of(self._spread, self._padded).to(self._weights.device, torch.float32)

    @cached_property
    def _spread(self) -> Tensor:
        """Point spread (..., 2 rows, 2 columns) of shifts up to the size of the image, 0 in the middle."""
        reach = (2 * self._shape[0], 2 * self._shape[1])
        spread = adjoint_nufft(self._exact_weights.to(torch.complex128), self._positions, reach)
        spread *= 2 / (self._shape[0] * self._shape[1]) ** 0.5  # the transform of the image itself has fewer pixels
        spread[..., 0, :] = 0  # the shift by the whole image has no counterpart, and is never needed
        spread[..., :, 0] = 0
        return spread

    def forward(self, coil_images: Tensor) -> Tensor:
        """Transform to the places of the trajectory; samples that were left out are zero."""
        return nufft(coil_images, self._positions) * (self._weights != 0)

    def adjoint(self, samples: Tensor) -> Tensor:
        """Transform weighted samples back."""
        return adjoint_nufft(samples * self._weights, self._positions, self._shape)

    def resample(self, coil_images: Tensor, which: slice = slice(None)) -> Tensor:
        """Apply F^H W F."""
        spectrum = torch.fft.fftn(coil_images, s=self._padded, dim=PLANE)
        kernel = self._kernel if self._kernel.ndim == 2 else self._kernel[which]
        spectrum = spectrum * kernel if spectrum.requires_grad else spectrum.mul_(kernel)
        whole = torch.fft.ifftn(spectrum, dim=PLANE)
        return whole[..., : self._shape[0], : self._shape[1]].contiguous()

    def energy(self, residual: Tensor, coil_images: Tensor, zero_filled: Tensor, power: Tensor | float) -> Tensor:
        """Squared norm of the samples' residual, from |y - Fz|^2 = |y|^2 - Re <z, F^H y> - Re <z, F^H (y - F z)>."""
        explained = (coil_images.conj() * (zero_filled + residual)).real.sum(dim=(-3, -2, -1))
        return (power - explained).clamp_min(0)

    def inverse(self, weight: Tensor | float) -> Filter:
        """Divide by the density and the weight, frequency by frequency."""
        easy = 1 / (self._common_density + weight)
        return lambda images: _filtered(images, easy)

    def seen_energy(self, images: Tensor) -> Tensor:
        """Mean square of the image, each frequency counted as often as it was measured."""
        power = torch.fft.fftn(images, dim=PLANE, norm="ortho").abs().square()
        return (power * self._common_density).mean(dim=tuple(range(1, images.ndim)))

    def compensated(self, coil_images: Tensor) -> Tensor:
        """Divide by the density where there is one; steps of length 1 then are stable."""
        return _filtered(coil_images, (self.density > _UNSEEN) / self.density.clamp_min(1.0))

    def whitened(self, residual: Tensor) -> Tensor:
        """Divide by the root of the density where there is one."""
        return _filtered(residual, (self.density > _UNSEEN) * self.density.clamp_min(_UNSEEN).rsqrt())

    @property
    def whitened_share(self) -> float:
        """Share of the grid that was measured at all."""
        return float((self.density > _UNSEEN).float().mean())

    def gridded(self, residual: Tensor) -> Tensor:
        """Divide by the density, and transform to the grid."""
        return to_kspace(_filtered(residual, (self.density > _UNSEEN) / self.density.clamp_min(_UNSEEN)))

    @property
    def _common_density(self) -> Tensor:
        """Density of all coils together, for what has no axis of coils any more; they leave no frequency unseen."""
        common = self.density if self.density.ndim == 2 else self.density.mean(dim=0)
        return common + _BLUR * self.share

    @property
    def _noise_shape(self) -> tuple[int, ...]:
        return (len(self._positions),)

    def _adjoint_of_noise(self, noise: Tensor) -> Tensor:
        return self.adjoint(noise)


def _filtered(images: Tensor, response: Tensor) -> Tensor:
    """Multiply frequencies; the shifts of the centred transform cancel."""
    return torch.fft.ifftn(torch.fft.fftn(images, dim=PLANE).mul_(response), dim=PLANE)


def _spectrum_of(spread: Tensor, padded: tuple[int, ...]) -> Tensor:
    """Transform a point spread (..., 2 rows, 2 columns), whose middle is shift 0, on the padded grid; it is real."""
    placed = torch.zeros((*spread.shape[:-2], *padded), dtype=spread.dtype)
    down, across = (torch.arange(size) - size // 2 for size in spread.shape[-2:])
    placed[..., (down % padded[0])[:, None], (across % padded[1])[None, :]] = spread
    return torch.fft.fftn(placed, dim=PLANE).real


def _circulant_of(spread: Tensor) -> Tensor:
    """Eigenvalues (..., rows, columns) of the circular convolution nearest to that of a point spread."""
    rows, columns = (size // 2 for size in spread.shape[-2:])
    down, across = torch.arange(2 * rows) - rows, torch.arange(2 * columns) - columns
    tapered = spread * (1 - down.abs() / rows)[:, None] * (1 - across.abs() / columns)
    wrapped = torch.zeros((*spread.shape[:-2], rows, columns), dtype=spread.dtype)
    for half in (slice(0, rows), slice(rows, 2 * rows)):
        for side in (slice(0, columns), slice(columns, 2 * columns)):
            wrapped += tapered[..., half, side]  # shift d and shift d - n fall together
    return torch.fft.fftn(wrapped, dim=PLANE).real.clamp_min(0)
