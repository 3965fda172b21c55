"""The centred orthonormal Fourier transform: F of the paper."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

PLANE = (-2, -1)  # axes of rows and columns, whatever stands before them


def to_kspace(image: Tensor, axes: Sequence[int] = PLANE) -> Tensor:
    """Transform images (..., rows, columns) to k-space; zero frequency ends up at index ``n // 2``."""
    shifted = torch.fft.ifftshift(image, dim=tuple(axes))
    return torch.fft.fftshift(torch.fft.fftn(shifted, dim=tuple(axes), norm="ortho"), dim=tuple(axes))


def to_image(kspace: Tensor, axes: Sequence[int] = PLANE) -> Tensor:
    """Transform k-space (..., rows, columns) to images: the inverse, and the adjoint, of `to_kspace`."""
    shifted = torch.fft.ifftshift(kspace, dim=tuple(axes))
    return torch.fft.fftshift(torch.fft.ifftn(shifted, dim=tuple(axes), norm="ortho"), dim=tuple(axes))
