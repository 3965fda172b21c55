"""What Deep J-Sense knows about a scan: k-space from an image and a small kernel of coils, and back."""

from __future__ import annotations

from functools import cached_property

import torch
import torch.nn.functional as functional
from torch import Tensor

from napari_pogmdm.physics.fourier import to_image, to_kspace


class JsenseModel:
    """The bilinear model between an image and a kernel of coils, with the published scaling.

    Transforms are most of the method's cost. Two things spare half of them: the few frequencies of a kernel are
    transformed by two small matrices, and shifts to and from the middle cancel between a transform and its inverse.

    Parameters
    ----------
    measured
        K-space (coils, rows, columns), zero where ``mask`` is.
    mask
        (rows, columns) of zeros and ones.
    kernel
        Rows and columns of the coils' kernel.
    """

    def __init__(self, measured: Tensor, mask: Tensor, kernel: tuple[int, int]) -> None:
        self._measured, self._mask = measured, mask
        rows, columns = measured.shape[-2:]
        # large enough for a convolution in k-space that does not wrap
        self.grid = (int(rows) + kernel[0] - 1, int(columns) + kernel[1] - 1)
        # unnormalised transforms differ from orthonormal ones by it
        self.root = float(self.grid[0] * self.grid[1]) ** 0.5
        self._waves = [few_frequencies(size, few).to(measured) for size, few in zip(self.grid, kernel, strict=True)]

    @cached_property
    def first_images(self) -> Tensor:
        """Coil images of what was measured."""
        return self.back(self._measured)

    @cached_property
    def _unshifted_mask(self) -> Tensor:
        return torch.fft.ifftshift(resized(self._mask.to(self._measured.real), self.grid))

    def maps(self, kernel: Tensor) -> Tensor:
        """Coils in image space from their kernel in k-space."""
        rows, columns = self._waves
        return rows @ (kernel @ columns.T)

    def kernel_of(self, images: Tensor) -> Tensor:
        """Middle of the images' k-space: the adjoint of `maps`."""
        rows, columns = self._waves
        return rows.mH @ (images @ columns.conj())

    def predict(self, image: Tensor, maps: Tensor) -> Tensor:
        """K-space (coils, rows, columns) of an image and coils, measured or not."""
        size = (int(self._measured.shape[-2]), int(self._measured.shape[-1]))
        return self.root * resized(to_kspace(image * maps), size)

    def back(self, kspace: Tensor) -> Tensor:
        """Coil images of measured samples."""
        return to_image(resized(self._mask * kspace, self.grid))

    def seen(self, image: Tensor, maps: Tensor) -> Tensor:
        """Coil images of the measured samples of an image and coils: `back` after `predict`."""
        return self.root * torch.fft.ifft2(self._unshifted_mask * torch.fft.fft2(image * maps))

    def image_adjoint(self, images: Tensor, maps: Tensor) -> Tensor:
        """Image from coil images; after `back` smaller than the adjoint of `predict` by `root`, as published."""
        return (images * maps.conj()).sum(dim=0)

    def kernel_adjoint(self, images: Tensor, image: Tensor) -> Tensor:
        """Kernel from coil images: after `back` the adjoint of `predict` after `maps`."""
        return self.root * self.kernel_of(images * image.conj())


def resized(values: Tensor, size: tuple[int, int]) -> Tensor:
    """Cut or zero-pad rows and columns about the middle, which stays at index ``n // 2``."""
    for axis, wanted in zip((-2, -1), size, strict=True):
        found = values.shape[axis]
        first = wanted // 2 - found // 2
        padding = [first, wanted - found - first]
        values = functional.pad(values, padding if axis == -1 else [0, 0, *padding])
    return values


def few_frequencies(size: int, few: int) -> Tensor:
    """Centred orthonormal transform of the ``few`` middle frequencies to ``size`` places, as a matrix (size, few)."""
    places = torch.arange(size, dtype=torch.float64) - size // 2
    frequencies = torch.arange(few, dtype=torch.float64) - few // 2
    angles = 2 * torch.pi * torch.outer(places, frequencies) / size
    return torch.polar(torch.full_like(angles, size**-0.5), angles)
