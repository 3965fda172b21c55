"""What every way of sampling k-space can do: the `FourierEncoding` of coil images."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import torch
from torch import Tensor

Filter = Callable[[Tensor], Tensor]


class FourierEncoding(ABC):
    """The linear map E = M F from coil images z to measured samples: a Fourier transform, and which samples are kept.

    Coil images are (..., coils, rows, columns). Samples are (..., coils, rows, columns) on the grid, zero where nothing
    was measured, and (..., coils, samples) along a trajectory. Whoever reconstructs needs ``z = E^H y`` once and
    ``E^H E`` often, and never the samples themselves.

    Attributes
    ----------
    share
        Mean of the diagonal of E^H E: samples over pixels.
    uniform
        Whether E^H E is a projection, so that what was measured was measured once. Along a trajectory the centre of
        k-space may be measured a hundred times, and what is solved needs preconditioning.
    """

    share: float
    uniform: bool

    @abstractmethod
    def forward(self, coil_images: Tensor) -> Tensor:
        """Give the samples E z of coil images."""

    @abstractmethod
    def adjoint(self, samples: Tensor) -> Tensor:
        """Coil images E^H y of samples."""

    @abstractmethod
    def resample(self, coil_images: Tensor, which: slice = slice(None)) -> Tensor:
        """Apply E^H E: what is left of coil images when only the measured samples are kept.

        Parameters
        ----------
        coil_images
            z; never written to.
        which
            Of all coils these are, as not all need to have the same samples.
        """

    @abstractmethod
    def energy(self, residual: Tensor, coil_images: Tensor, zero_filled: Tensor, power: Tensor | float) -> Tensor:
        """Squared norm |y - E z|^2 of the samples' residual, over the last three axes.

        Parameters
        ----------
        residual
            E^H (y - E z).
        coil_images
            z.
        zero_filled
            E^H y.
        power
            |y|^2.
        """

    def noise(self, coils: int, generator: torch.Generator, device: str | torch.device = "cpu") -> Tensor:
        """Coil images E^H n of fresh white noise on the samples, (coils, rows, columns).

        Parameters
        ----------
        coils
            How many.
        generator
            On the CPU; real and imaginary part of n have a standard deviation of 1.
        device
            Where the images go.
        """
        real, imaginary = torch.randn((2, coils, *self._noise_shape), generator=generator)
        return self._adjoint_of_noise(torch.complex(real, imaginary).to(device))

    def inverse(self, weight: Tensor | float) -> Filter:
        """Make an approximate inverse of E^H E + weight for images whose coils have a root sum of squares of 1.

        Parameters
        ----------
        weight
            A number, or one that broadcasts with the images.
        """
        easy = 1 / (self.share + weight)
        return lambda images: easy * images

    def seen_energy(self, images: Tensor) -> Tensor:
        """Mean square (chains,) of what E sees of a pixel of images (chains, ..., rows, columns) under smooth coils."""
        return self.share * images.abs().square().mean(dim=tuple(range(1, images.ndim)))

    def compensated(self, coil_images: Tensor) -> Tensor:
        """Divide E^H y by how often each frequency was measured, so that a step of gradient descent serves all."""
        return coil_images

    def whitened(self, residual: Tensor) -> Tensor:
        """Filter E^H n so that the noise n, white on the samples, is white in the images, too."""
        return residual

    @property
    @abstractmethod
    def whitened_share(self) -> float:
        """Mean square of a pixel of `whitened` noise, over that of a sample."""

    @abstractmethod
    def gridded(self, residual: Tensor) -> Tensor:
        """K-space on the grid, (..., coils, rows, columns), of coil images E^H y, to be looked at."""

    @property
    @abstractmethod
    def _noise_shape(self) -> tuple[int, ...]:
        """What one coil's noise is drawn on."""

    @abstractmethod
    def _adjoint_of_noise(self, noise: Tensor) -> Tensor:
        """Turn noise of that shape into coil images."""
