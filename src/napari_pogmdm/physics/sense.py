"""SENSE: how a multi-coil scanner sees an image, A(x, s) = M F (s x), with its adjoint and gradients.

``F^H M F`` is a circular convolution with the point-spread function of the mask. It commutes with circular shifts, so
the shifts of the centred transform cancel and are left out; and along an axis on which the mask does not vary, the
transform cancels with its inverse, so a mask of whole columns or rows costs one-dimensional transforms only. All
gradients below are built on it: with coil images ``z = F^H M y`` computed once, the data are not needed again.
"""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.physics.coil_kernels import combine_sets
from napari_pogmdm.physics.fourier import to_image, to_kspace


class Sense:
    """The nonlinear forward operator of parallel imaging, its parts and its gradients.

    Images are (..., rows, columns), coils and k-space (..., coils, rows, columns); leading axes broadcast.

    Parameters
    ----------
    mask
        Bool, which samples were measured (M in the paper): (rows, columns), or (coils, rows, columns) where coils
        differ.
    exploit_lines
        Use one-dimensional transforms where the mask allows it.
    """

    def __init__(self, mask: Tensor, *, exploit_lines: bool = True) -> None:
        self.mask = mask.to(torch.bool)
        varies = [bool((self.mask != self.mask.narrow(axis, 0, 1)).any()) for axis in (-2, -1)]
        self.axes = tuple(axis for axis, used in zip((-2, -1), varies, strict=True) if used or not exploit_lines)
        line = self.mask
        for axis in (-2, -1):
            if axis not in self.axes:
                line = line.narrow(axis, 0, 1)
        self._spectrum = torch.fft.ifftshift(line, dim=(-2, -1))

    def forward(self, image: Tensor, coils: Tensor) -> Tensor:
        """Simulate the measurement M F (s x)."""
        return to_kspace(coils * image.unsqueeze(-3)) * self.mask

    def adjoint(self, kspace: Tensor, coils: Tensor) -> Tensor:
        """Apply the adjoint with respect to the image: sum over coils of conj(s) F^H M y."""
        return (coils.conj() * self.zero_filled(kspace)).sum(dim=-3)

    def zero_filled(self, kspace: Tensor) -> Tensor:
        """Coil images F^H M y of the measured data, zero where nothing was measured."""
        return to_image(kspace * self.mask)

    def resample(self, coil_images: Tensor) -> Tensor:
        """Apply F^H M F: what is left of coil images when only the mask's samples are kept."""
        if not self.axes:
            return coil_images.clone() if bool(self.mask.any()) else torch.zeros_like(coil_images)
        spectrum = torch.fft.fftn(coil_images, dim=self.axes)
        spectrum = spectrum * self._spectrum if spectrum.requires_grad else spectrum.mul_(self._spectrum)
        return torch.fft.ifftn(spectrum, dim=self.axes)

    def normal(self, image: Tensor, coils: Tensor) -> Tensor:
        """Apply A^H A for fixed coils."""
        return combine(self.resample(coils * image.unsqueeze(-3)), coils)

    def residual(self, image: Tensor, coils: Tensor, zero_filled: Tensor) -> Tensor:
        """Coil images F^H M (y - M F (s x)) of what the estimate does not explain yet.

        The transform is orthonormal, so the norm of this residual is the norm of the k-space residual.
        """
        explained = self.resample(coils * image.unsqueeze(-3))
        if explained.requires_grad or zero_filled.ndim > explained.ndim:
            return zero_filled - explained
        # The memory is there already; fetching more takes longer than the subtraction.
        return torch.sub(zero_filled, explained, out=explained)


def combine(coil_images: Tensor, coils: Tensor) -> Tensor:
    """Sum conj(s) z over coils."""
    if coils.shape != coil_images.shape or coils.ndim < 3:
        return torch.linalg.vecdot(coils, coil_images, dim=-3)
    stack = (-1, *coils.shape[-3:])
    return combine_sets(coil_images.reshape(stack), coils.reshape(stack).unsqueeze(1)).reshape(
        *coils.shape[:-3], *coils.shape[-2:]
    )


def data_energy(residual: Tensor) -> Tensor:
    """Half the squared norm of the residual: the data term D(x, s) of the paper."""
    return 0.5 * torch.linalg.vector_norm(residual, dim=(-3, -2, -1)) ** 2


def image_gradient(residual: Tensor, coils: Tensor) -> Tensor:
    """Gradient of the data term with respect to the image: -sum conj(s) r."""
    return -combine(residual, coils)


def coil_gradient(residual: Tensor, image: Tensor) -> Tensor:
    """Gradient of the data term with respect to the coils: -conj(x) r, conjugate because the image is complex."""
    return -image.conj().unsqueeze(-3) * residual
