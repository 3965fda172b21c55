"""Solve (I + beta L) u = s exactly, in less than a quarter of the work of sine transforms along both axes.

Hockney's method (1965): three columns of four are eliminated by cyclic reduction, which needs differences along the
rows alone. Of what is left, the sine transform along the rows makes tridiagonal systems across the columns, one for
each frequency. Then the other columns follow from tridiagonal systems down the rows. Two steps of reduction cost no
digits in single precision; a third would.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.arrays import Doubles, Singles
from napari_pogmdm.physics.line_reduction_kernels import (
    eliminate,
    fold,
    join_columns,
    solve_kept,
    split_columns,
    substitute,
    unfold,
)

_LEAST = 4  # rows and columns; fewer columns leave nothing to eliminate
_LEAST_BETA = 1e-12  # a smaller one changes nothing in single precision


class _Plan(NamedTuple):
    """What depends on beta: numbers of the kernels, and lower, pivots and upper for odd and even orders."""

    beta: float
    sigma: np.float32
    share: np.float32
    down: Singles
    across: tuple[tuple[Singles, Singles, Singles], ...]


class LineReduction:
    """(I + beta L)^-1 for complex images (rows, columns) in single precision on the CPU.

    Parameters
    ----------
    shape
        Rows and columns.
    sines
        Symmetric and antisymmetric half of the sine transform along the rows, (orders, half of the rows) each.
    eigenvalues
        Of the differences along the rows, for the orders of each half.
    """

    def __init__(
        self, shape: tuple[int, int], sines: tuple[Tensor, Tensor], eigenvalues: tuple[Doubles, Doubles]
    ) -> None:
        self._shape = shape
        self._sines = sines
        self._eigenvalues = eigenvalues
        self._plan: _Plan | None = None

    @staticmethod
    def fits(images: Tensor) -> bool:
        """Whether images (..., rows, columns) are of the kind and large enough."""
        return images.dtype == torch.complex64 and images.device.type == "cpu" and min(images.shape[-2:]) >= _LEAST

    def solve(self, image: Tensor, beta: float, found: Tensor) -> None:
        """Write the smooth image to ``found``, which is contiguous."""
        plan = self._plan_for(beta)
        rows, columns = self._shape
        groups = columns // 4
        first, second, third = np.empty((3, rows, groups), np.complex64)
        kept = np.empty((rows, columns - 3 * groups), np.complex64)
        spare = np.empty((3, rows, 2 * groups), np.float32)
        split_columns(image.resolve_conj().contiguous().numpy(), first, second, third, kept)
        one, two, three, four = (array.view(np.float32) for array in (first, second, third, kept))
        eliminate(one, two, three, four, spare, plan.sigma)
        self._solve_kept(four, plan)
        substitute(one, two, three, four, plan.sigma, plan.share, plan.down)
        join_columns(first, second, third, kept, found.numpy())

    def _solve_kept(self, kept: Singles, plan: _Plan) -> None:
        even, odd = (np.empty((len(sines), kept.shape[1]), np.float32) for sines in self._sines)
        fold(kept, even, odd)
        for half, sines, across in zip((even, odd), self._sines, plan.across, strict=True):
            lines = torch.from_numpy(half)
            spectra = lines.mT @ sines.mT  # columns first, so that the loop over frequencies is the inner one
            solve_kept(spectra.numpy(), *across)
            torch.mm(sines.mT, spectra.mT, out=lines)
        unfold(even, odd, kept)

    def _plan_for(self, beta: float) -> _Plan:
        beta, plan = max(beta, _LEAST_BETA), self._plan
        if plan is None or plan.beta != beta:
            share = 1 / (1 + 4 * beta)
            sigma = beta * share  # everything is divided by 1 + 4 beta, so that no beta overflows
            middles = (1.0, 1 + math.sqrt(2) * sigma, 1 - math.sqrt(2) * sigma)
            down = np.array([_pivots(self._shape[0], middle, sigma) for middle in middles], np.float32)
            across = tuple(self._across(eigenvalues, beta, sigma) for eigenvalues in self._eigenvalues)
            plan = self._plan = _Plan(beta, np.float32(sigma), np.float32(share), down, across)
        return plan

    def _across(self, eigenvalues: Doubles, beta: float, sigma: float) -> tuple[Singles, Singles, Singles]:
        """Eliminate across the kept columns, for each eigenvalue of the differences along the rows.

        With a = 1 / beta + 2 + eigenvalue, columns are tied by ``a u_j - u_(j-1) - u_(j+1) = s_j / beta``, and every
        fourth by ``(a^4 - 4 a^2 + 2) u_j - u_(j-4) - u_(j+4)``. The last of them has the border, or a column that was
        kept, for its neighbour.
        """
        groups = self._shape[1] // 4
        columns = self._shape[1] - 3 * groups
        middle = 1 / beta + 2 + eigenvalues
        squared, cubed = middle**2 - 1, middle**3 - 2 * middle
        scale = sigma**3 * beta
        diagonal = np.tile(beta * middle, (columns, 1))
        lower, upper = np.full(columns, beta), np.full((columns, len(eigenvalues)), beta)
        diagonal[:groups] = scale * (middle * cubed - 2 * squared)
        lower[:groups] = upper[:groups] = scale
        diagonal[groups - 1] += scale * squared
        upper[groups - 1] = scale * cubed
        pivots = np.empty_like(diagonal)
        for column in range(columns):
            left = diagonal[column] - (lower[column] * upper[column - 1] if column else 0)
            pivots[column] = 1 / left
            upper[column] /= left
        return lower.astype(np.float32), pivots.astype(np.float32), upper.astype(np.float32)


def _pivots(count: int, middle: float, sigma: float) -> list[float]:
    """Pivots of the elimination down a line whose places count ``middle`` and their neighbours ``-sigma``."""
    found: list[float] = []
    for _ in range(count):
        found.append(1 / (middle - (sigma**2 * found[-1] if found else 0)))
    return found
