"""Samples on the grid: a mask M after the FFT.

``F^H M F`` is a circular convolution with the point-spread function of the mask. It commutes with circular shifts, so
the shifts of the centred transform cancel and are left out; and along an axis on which the mask does not vary, the
transform cancels with its inverse, so a mask of whole columns or rows costs one-dimensional transforms only.
"""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.physics.encoding.encoding import FourierEncoding
from napari_pogmdm.physics.fourier import to_image, to_kspace


class GridEncoding(FourierEncoding):
    """E = M F with the orthonormal Fourier transform F.

    Parameters
    ----------
    mask
        Bool, which samples were measured (M in the paper): (rows, columns), or (coils, rows, columns) where coils
        differ.
    exploit_lines
        Use one-dimensional transforms where the mask allows it.

    Attributes
    ----------
    mask
        As given.
    axes
        That have to be transformed.
    """

    uniform = True

    def __init__(self, mask: Tensor, *, exploit_lines: bool = True) -> None:
        self.mask = mask.to(torch.bool)
        self.share = float(self.mask.float().mean())
        varies = [bool((self.mask != self.mask.narrow(axis, 0, 1)).any()) for axis in (-2, -1)]
        self.axes = tuple(axis for axis, used in zip((-2, -1), varies, strict=True) if used or not exploit_lines)
        line = self.mask
        for axis in (-2, -1):
            if axis not in self.axes:
                line = line.narrow(axis, 0, 1)
        self._spectrum = torch.fft.ifftshift(line, dim=(-2, -1))
        parts = 2 if line.shape[-1] > 1 else 1
        self._factors = self._spectrum.float().repeat_interleave(parts, dim=-1)  # of real and imaginary parts in turn

    def forward(self, coil_images: Tensor) -> Tensor:
        """Transform, and keep the samples of the mask."""
        return to_kspace(coil_images) * self.mask

    def adjoint(self, samples: Tensor) -> Tensor:
        """Coil images of the measured samples, with zeros for the rest."""
        return to_image(samples * self.mask)

    def resample(self, coil_images: Tensor, which: slice = slice(None)) -> Tensor:
        """Apply F^H M F."""
        if not self.axes:
            return coil_images.clone() if self.share else torch.zeros_like(coil_images)
        spectrum = torch.fft.fftn(coil_images, dim=self.axes)
        if spectrum.requires_grad or not spectrum.is_contiguous():
            spectrum = spectrum * self._of_coils(self._spectrum, which)
        else:  # a product with true and false takes four times as long
            torch.view_as_real(spectrum).flatten(-2).mul_(self._of_coils(self._factors, which))
        return torch.fft.ifftn(spectrum, dim=self.axes)

    @staticmethod
    def _of_coils(mask: Tensor, which: slice) -> Tensor:
        return mask if mask.ndim == 2 else mask[which]

    def energy(self, residual: Tensor, coil_images: Tensor, zero_filled: Tensor, power: Tensor | float) -> Tensor:
        """Squared norm of the residual: as the transform is orthonormal, that of its coil images."""
        return torch.linalg.vector_norm(residual, dim=(-3, -2, -1)) ** 2

    @property
    def whitened_share(self) -> float:
        """Share of the grid that was measured; the noise of coil images is as white as the mask is."""
        return self.share

    def gridded(self, residual: Tensor) -> Tensor:
        """Transform back, and drop what rounding left outside the mask."""
        return to_kspace(residual) * self.mask

    @property
    def _noise_shape(self) -> tuple[int, ...]:
        return tuple(self.mask.shape[-2:])

    def _adjoint_of_noise(self, noise: Tensor) -> Tensor:
        return self.resample(noise)  # white noise stays white under F, so it may be drawn in the image
