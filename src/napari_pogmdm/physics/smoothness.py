"""Smoothness prior of coils, beta/2 |D s|^2 with s = 0 outside the field of view: exact proximal map by the DST-I.

On the CPU, where Algorithm 1 spends a good part of its time here, most of the transform is saved (`LineReduction`).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from napari_pogmdm.physics.coil_blocks import cut_into_blocks, over_coils
from napari_pogmdm.physics.line_reduction import LineReduction


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
        self._rows, self._columns = (_SineTransform(size, dtype, device) for size in shape)
        self._eigenvalues = self._rows.eigenvalues[:, None] + self._columns.eigenvalues[None, :]
        self._reduction = LineReduction(shape, self._rows.halves, self._rows.exact_eigenvalues)

    def __call__(self, coils: Tensor, beta: float) -> Tensor:
        """Smooth (..., rows, columns), real or complex, with strength ``beta`` >= 0."""
        if beta == 0:
            return coils
        if not cut_into_blocks(coils):
            return self._smooth(coils, beta)
        stack = coils.reshape(-1, *coils.shape[-2:])
        found = torch.empty_like(stack, memory_format=torch.contiguous_format)

        reduced = LineReduction.fits(stack) and self._eigenvalues.dtype == torch.float32

        def work(chain: int, block: int, which: slice) -> None:
            if not reduced:
                found[which] = self._smooth(stack[which], beta)
                return
            for one in range(which.start, which.stop):
                self._reduction.solve(stack[one], beta, found[one])

        over_coils(work, (1, *stack.shape))
        return found.reshape(coils.shape)

    def _smooth(self, coils: Tensor, beta: float) -> Tensor:
        if coils.is_complex():
            smooth = self._solve(torch.stack((coils.real, coils.imag)), beta)
            return torch.complex(smooth[0], smooth[1])
        return self._solve(coils, beta)

    def energy(self, coils: Tensor) -> Tensor:
        """Half of |D s|^2 for coils (coils, rows, columns)."""
        padded = torch.nn.functional.pad(coils, (1, 1, 1, 1))
        down = padded[..., 1:, 1:-1] - padded[..., :-1, 1:-1]
        across = padded[..., 1:-1, 1:] - padded[..., 1:-1, :-1]
        return 0.5 * (down.abs().square().sum() + across.abs().square().sum())

    def _solve(self, images: Tensor, beta: float) -> Tensor:
        spectra = self._rows.forward(self._columns.forward(images).mT)
        spectra /= (1 + beta * self._eigenvalues).mT
        return self._columns.backward(self._rows.backward(spectra).mT)


class _SineTransform:
    """Orthonormal DST-I of the last axis by matrix products, which beat odd-extended FFTs at the sizes of MR images.

    Sines of odd order are symmetric about the middle of a line and those of even order antisymmetric. Folding a line
    into its symmetric and antisymmetric half first halves the work; coefficients of odd order come first in the
    spectrum.

    Attributes
    ----------
    halves
        Symmetric and antisymmetric sines, (orders, half of a line) each.
    exact_eigenvalues
        Of D^T D along the line, for the orders of each half, in double precision.
    eigenvalues
        All of them, in the order of the spectrum.
    """

    def __init__(self, size: int, dtype: torch.dtype, device: str | torch.device) -> None:
        order = torch.arange(1, size + 1, dtype=torch.float64)
        sines = math.sqrt(2 / (size + 1)) * torch.sin(torch.pi * torch.outer(order, order) / (size + 1))
        self._size, self._half = size, size // 2
        self._middle = size - self._half
        self.halves = (
            sines[0::2, : self._middle].to(device, dtype).contiguous(),
            sines[1::2, : self._half].to(device, dtype).contiguous(),
        )
        exact = [2 - 2 * torch.cos(torch.pi * orders / (size + 1)) for orders in (order[0::2], order[1::2])]
        self.exact_eigenvalues = (exact[0].numpy(), exact[1].numpy())
        self.eigenvalues = torch.cat(exact).to(device, dtype)

    def forward(self, lines: Tensor) -> Tensor:
        """Transform (..., size) to coefficients in the order of `eigenvalues`."""
        left, right = lines[..., : self._half], lines[..., self._middle :].flip(-1)
        folded = torch.cat((left + right, lines[..., self._half : self._middle]), dim=-1)
        return torch.cat((folded @ self.halves[0].mT, (left - right) @ self.halves[1].mT), dim=-1)

    def backward(self, spectra: Tensor) -> Tensor:
        """Transform coefficients back."""
        even = spectra[..., : self._middle] @ self.halves[0]
        odd = spectra[..., self._middle :] @ self.halves[1]
        left = even[..., : self._half]
        return torch.cat((left + odd, even[..., self._half :], (left - odd).flip(-1)), dim=-1)
