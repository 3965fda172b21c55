"""SENSE: how a multi-coil scanner sees an image, A(x, s) = E (s x), with its adjoint and gradients.

E = M F is the encoding: the Fourier transform at the measured samples, on the grid or along a trajectory. All gradients
are built on ``E^H E``: with coil images ``z = E^H y`` computed once, the data are not needed again.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.physics.coil_blocks import cut_into_blocks, over_coils
from napari_pogmdm.physics.coil_kernels import combine_sets
from napari_pogmdm.physics.encoding.encoding import FourierEncoding
from napari_pogmdm.physics.encoding.grid import GridEncoding


class Sense:
    """The nonlinear forward operator of parallel imaging, its parts and its gradients.

    Images are (..., rows, columns), coils (..., coils, rows, columns), and samples as their `FourierEncoding` has them;
    leading axes broadcast.

    Parameters
    ----------
    encoding
        E; a bool mask (rows, columns), or (coils, rows, columns) where coils differ, stands for its `GridEncoding`.
    """

    def __init__(self, encoding: FourierEncoding | Tensor) -> None:
        self.encoding = GridEncoding(encoding) if isinstance(encoding, Tensor) else encoding

    def forward(self, image: Tensor, coils: Tensor) -> Tensor:
        """Simulate the measurement E (s x)."""
        return self.encoding.forward(coils * image.unsqueeze(-3))

    def adjoint(self, samples: Tensor, coils: Tensor) -> Tensor:
        """Apply the adjoint with respect to the image: sum over coils of conj(s) E^H y."""
        return (coils.conj() * self.zero_filled(samples)).sum(dim=-3)

    def zero_filled(self, samples: Tensor) -> Tensor:
        """Coil images E^H y of the measured data."""
        return self.encoding.adjoint(samples)

    def resample(self, coil_images: Tensor) -> Tensor:
        """Apply E^H E: what is left of coil images when only the measured samples are kept."""
        if not cut_into_blocks(coil_images):
            return self.encoding.resample(coil_images)
        stack = coil_images.reshape(-1, *coil_images.shape[-3:])
        found = torch.empty_like(stack, memory_format=torch.contiguous_format)

        def work(chain: int, block: int, which: slice) -> None:
            found[chain, which] = self.encoding.resample(stack[chain, which], which)

        over_coils(work, stack.shape)
        return found.reshape(coil_images.shape)

    def normal(self, image: Tensor, coils: Tensor) -> Tensor:
        """Apply A^H A for fixed coils."""
        return combine(self.resample(coils * image.unsqueeze(-3)), coils)

    def residual(self, image: Tensor, coils: Tensor, zero_filled: Tensor) -> Tensor:
        """Coil images E^H (y - E (s x)) of what the estimate does not explain yet."""
        lead = np.broadcast_shapes(image.shape[:-2], coils.shape[:-3], zero_filled.shape[:-3])
        if not cut_into_blocks(image, coils, zero_filled):
            return zero_filled - self.resample(coils * image.unsqueeze(-3))
        shape = (*lead, *coils.shape[-3:])
        images = image.expand(*lead, *image.shape[-2:]).reshape(-1, *image.shape[-2:])
        maps, data = (array.expand(shape).reshape(-1, *shape[-3:]) for array in (coils, zero_filled))
        found = torch.empty(shape, dtype=zero_filled.dtype).reshape(maps.shape)

        def work(chain: int, block: int, which: slice) -> None:
            explained = self.encoding.resample(maps[chain, which] * images[chain], which)
            torch.sub(data[chain, which], explained, out=found[chain, which])

        over_coils(work, maps.shape)
        return found.reshape(shape)


def combine(coil_images: Tensor, coils: Tensor) -> Tensor:
    """Sum conj(s) z over coils."""
    if coils.shape != coil_images.shape or coils.ndim < 3:
        return torch.linalg.vecdot(coils, coil_images, dim=-3)
    stack = (-1, *coils.shape[-3:])
    return combine_sets(coil_images.reshape(stack), coils.reshape(stack).unsqueeze(1)).reshape(
        *coils.shape[:-3], *coils.shape[-2:]
    )


def image_gradient(residual: Tensor, coils: Tensor) -> Tensor:
    """Gradient of the data term with respect to the image: -sum conj(s) r."""
    return -combine(residual, coils)


def coil_gradient(residual: Tensor, image: Tensor) -> Tensor:
    """Gradient of the data term with respect to the coils: -conj(x) r, conjugate because the image is complex."""
    return -image.conj().unsqueeze(-3) * residual
