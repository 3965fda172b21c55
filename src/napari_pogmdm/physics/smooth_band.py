"""Smooth coils as sums of a few slow cosines: the lowest coefficients of a cosine transform (DCT-II)."""

from __future__ import annotations

import math

import torch
from torch import Tensor


class SmoothBand:
    """The lowest coefficients of the orthonormal cosine transform (DCT-II) of images (..., rows, columns).

    A cosine of order k makes k / 2 turns across the field of view and is even beyond its border, so coils that are not
    periodic cause no jumps.

    Parameters
    ----------
    shape
        Rows and columns of the images.
    cycles
        Turns across the field of view above which nothing is kept.
    corner
        Turns across the field of view at which the roughness is 1; it grows with their fourth power.
    device
        Where the images live.
    """

    def __init__(
        self, shape: tuple[int, int], cycles: float, corner: float, device: str | torch.device = "cpu"
    ) -> None:
        orders = [min(max(int(2 * cycles), 1), size) for size in shape]
        self._rows, self._columns = (
            _cosines(count, size).to(device) for count, size in zip(orders, shape, strict=True)
        )
        turns = [torch.arange(count, device=device, dtype=torch.float32) / 2 for count in orders]
        self.roughness = ((turns[0][:, None] ** 2 + turns[1][None, :] ** 2) / corner**2) ** 2
        """Penalty of each coefficient, (orders, orders)."""

    def coefficients(self, images: Tensor) -> Tensor:
        """Transform complex images to (..., orders, orders), leaving out all that is too rough."""
        # Rows first, on real and imaginary part side by side, needs no copy; what is left to do is small.
        lines = torch.view_as_real(images.contiguous().resolve_conj()).flatten(-2)
        few = _pairs(self._rows @ lines).transpose(-1, -2).contiguous()  # one large product, not many small ones
        return torch.view_as_complex((few @ self._columns.mT).transpose(-1, -2).contiguous())

    def images(self, coefficients: Tensor) -> Tensor:
        """Transform coefficients back: the adjoint, and the inverse on smooth images."""
        few = torch.view_as_real(coefficients).transpose(-1, -2).contiguous() @ self._columns
        lines = self._rows.mT @ few.transpose(-1, -2).flatten(-2)
        return torch.view_as_complex(_pairs(lines))


def _pairs(lines: Tensor) -> Tensor:
    """Split the last axis into pairs of real and imaginary part."""
    return lines.reshape(*lines.shape[:-1], -1, 2)


def _cosines(count: int, size: int) -> Tensor:
    order = torch.arange(count, dtype=torch.float64)
    place = torch.arange(size, dtype=torch.float64) + 0.5
    waves = math.sqrt(2 / size) * torch.cos(torch.pi * torch.outer(order, place) / size)
    waves[0] /= math.sqrt(2)
    return waves.float().contiguous()
