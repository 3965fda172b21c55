"""Coils are smooth: the quadratic prior beta/2 |D s|^2 with s = 0 outside the field of view, and its proximal map."""

from __future__ import annotations

import math

import torch
from torch import Tensor


class SmoothnessProx:
    """Solve (I + beta L) u = s for L = D^T D, exactly, by the sine transform that diagonalises L.

    D takes the n + 1 differences of each line with a zero beyond either end, so the eigenvalues of L are
    ``4 - 2 cos(pi i / (rows + 1)) - 2 cos(pi j / (columns + 1))`` with i and j from 1, and its eigenvectors are those
    of the orthonormal DST-I, which is its own inverse.

    Parameters
    ----------
    shape
        Rows and columns of the images.
    dtype
        Real type to compute in.
    device
        Where the images live.
    """

    def __init__(self, shape: tuple[int, int], dtype: torch.dtype = torch.float32, device: str | torch.device = "cpu"):
        self._rows, self._columns = (_sine_matrix(size).to(device, dtype) for size in shape)
        spectra = [2 - 2 * torch.cos(torch.pi * torch.arange(1, n + 1, dtype=torch.float64) / (n + 1)) for n in shape]
        self._eigenvalues = (spectra[0][:, None] + spectra[1][None, :]).to(device, dtype)

    def __call__(self, coils: Tensor, beta: float) -> Tensor:
        """Smooth (..., rows, columns), real or complex, with strength ``beta`` >= 0."""
        if beta == 0:
            return coils
        if coils.is_complex():
            parts = torch.stack((coils.real, coils.imag))
            smooth = self._transform(self._transform(parts) / (1 + beta * self._eigenvalues))
            return torch.complex(smooth[0], smooth[1])
        return self._transform(self._transform(coils) / (1 + beta * self._eigenvalues))

    def energy(self, coils: Tensor) -> Tensor:
        """Half of |D s|^2 for coils (coils, rows, columns)."""
        padded = torch.nn.functional.pad(coils, (1, 1, 1, 1))
        down = padded[..., 1:, 1:-1] - padded[..., :-1, 1:-1]
        across = padded[..., 1:-1, 1:] - padded[..., 1:-1, :-1]
        return 0.5 * (down.abs().square().sum() + across.abs().square().sum())

    def _transform(self, images: Tensor) -> Tensor:
        return self._rows @ (images @ self._columns)


def _sine_matrix(size: int) -> Tensor:
    """Orthonormal DST-I as a symmetric matrix (matrix products beat odd-extended FFTs at the sizes of MR images)."""
    index = torch.arange(1, size + 1, dtype=torch.float64)
    return math.sqrt(2 / (size + 1)) * torch.sin(torch.pi * torch.outer(index, index) / (size + 1))
