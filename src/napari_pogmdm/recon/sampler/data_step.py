"""The data step of splitting: the image, or image and coils together, that fit the data and stay near an estimate.

Images are (chains, sets, rows, columns) and coils (chains, sets, coils, rows, columns): a scan whose field of view
wraps needs a second set of maps, and what the scanner sees is the sum over sets of s x. Every chain has its own
steps, so it is the same alone and beside others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.physics.coil_kernels import combine_sets, linearised, linearised_adjoint, seen
from napari_pogmdm.physics.sense import Sense
from napari_pogmdm.physics.smooth_band import SmoothBand

_TINY = 1e-30


@dataclass(frozen=True)
class Effort:
    """How many conjugate gradients to take, and who may stop them."""

    steps: int
    cancelled: Callable[[], bool] | None = None

    def check(self) -> None:
        """Raise `Cancelled` if somebody asked for it."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled


def solve_image(sense: Sense, image: Tensor, coils: Tensor, misfit: Tensor, weight: Tensor, effort: Effort) -> Tensor:
    """Minimise |A x - y|^2 + w |x - x_0|^2 over the image, from x_0.

    Parameters
    ----------
    image
        x_0; if it is real, x stays real.
    misfit
        Coil images (chains, coils, rows, columns) of y - A x_0.
    weight
        w, (chains,).
    """

    def project(full: Tensor) -> Tensor:
        return full if image.is_complex() else full.real

    weight = weight[:, None, None, None]
    residual = project(combine_sets(misfit, coils))
    direction, remaining = residual, _dot(residual, residual)
    solution = image
    for _ in range(effort.steps):
        effort.check()
        curvature = project(combine_sets(sense.resample(seen(direction, coils)), coils)) + weight * direction
        length = remaining / _dot(direction, curvature).clamp_min(_TINY)
        solution = solution + length * direction
        residual = residual - length * curvature
        before, remaining = remaining, _dot(residual, residual)
        direction = residual + remaining / before.clamp_min(_TINY) * direction
    return solution


def solve_jointly(
    sense: Sense,
    band: SmoothBand,
    zero_filled: Tensor,
    image: Tensor,
    coils: Tensor,
    weight: Tensor,
    smoothing: Tensor,
    effort: Effort,
) -> tuple[Tensor, Tensor]:
    """Minimise |A(x, s) - y|^2 + w |x - x_0|^2 + b R(s) over image and smooth coils, linearised around both.

    Parameters
    ----------
    zero_filled
        Coil images of the data.
    weight, smoothing
        w and b, (chains,); R is the band's roughness.

    Returns
    -------
    The image and band-limited coils.
    """
    share = float(sense.mask.float().mean())
    weight = weight[:, None, None, None]
    rough = smoothing[:, None, None, None, None] * band.roughness
    coefficients = band.coefficients(coils)
    coils = band.images(coefficients)
    residual = zero_filled - sense.resample(seen(image, coils))
    energy = image.abs().square().mean(dim=(1, 2, 3)).clamp_min(_TINY)[:, None, None, None, None]
    easy_image, easy_coils = 1 / (share + weight), 1 / (share * energy + rough)

    for_image, for_coils = linearised_adjoint(residual, image, coils)
    left = (for_image, band.coefficients(for_coils) - rough * coefficients)
    towards = (easy_image * left[0], easy_coils * left[1])
    direction = towards
    remaining = _dot(left[0], towards[0]) + _dot(left[1], towards[1])
    solution = (image, coefficients)
    for _ in range(effort.steps):
        effort.check()
        response = sense.resample(linearised(band.images(direction[1]), image, coils, direction[0]))
        for_image, for_coils = linearised_adjoint(response, image, coils)
        curved = (for_image + weight * direction[0], band.coefficients(for_coils) + rough * direction[1])
        length = remaining / (_dot(direction[0], curved[0]) + _dot(direction[1], curved[1])).clamp_min(_TINY)
        solution = (solution[0] + length * direction[0], solution[1] + length[..., None] * direction[1])
        left = (left[0] - length * curved[0], left[1] - length[..., None] * curved[1])
        towards = (easy_image * left[0], easy_coils * left[1])
        before, remaining = remaining, _dot(left[0], towards[0]) + _dot(left[1], towards[1])
        turn = remaining / before.clamp_min(_TINY)
        direction = (towards[0] + turn * direction[0], towards[1] + turn[..., None] * direction[1])
    return solution[0], band.images(solution[1])


def _dot(first: Tensor, second: Tensor) -> Tensor:
    """Real part of the inner product of each chain, (chains, 1, 1, 1)."""
    if first.is_complex():
        first, second = torch.view_as_real(first), torch.view_as_real(second)
    return (first * second).flatten(1).sum(dim=1)[:, None, None, None]
