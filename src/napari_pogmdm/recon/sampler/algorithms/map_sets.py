"""A second set of coil maps, for scans in which two places of the body share a pixel because the field of view wraps.

One map cannot explain such a pixel: its coil images are the sum of two signals with different sensitivities. The first
set comes from the usual start. Further ones come from the local covariance of the coil images, which has as many large
eigenvalues as there are signals: the strongest eigenvector outside what the earlier sets explain.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d, interpolate, pad

from napari_pogmdm.physics.coils import normalise

_PATCH = 9  # pixels a side; more of them than coils to tell signals apart, and small beside the coils' own changes
_POWER_STEPS = 6  # each turns the map towards the strongest eigenvector; the data steps that follow do the rest


def more_sets(coil_images: Tensor, first: Tensor, count: int, stride: int = 1) -> Tensor:
    """Add sets to the first one.

    Parameters
    ----------
    coil_images
        Zero-filled, (coils, rows, columns).
    first
        (coils, rows, columns), with a root sum of squares of 1.
    count
        Sets in all.
    stride
        Pixels between those for which maps are computed; in between they are interpolated.

    Returns
    -------
    (count, coils, rows, columns); the sets are orthogonal in every pixel.
    """
    if stride > 1:
        return _interpolated(coil_images, first, count, stride)
    return torch.stack(_sets(coil_images, _local_covariance(coil_images), first, count))


def _sets(coil_images: Tensor, covariance: Tensor, first: Tensor, count: int) -> list[Tensor]:
    sets = [first]
    anchor = int(coil_images.abs().square().sum(dim=(-2, -1)).argmax())
    while len(sets) < count:
        found = torch.roll(first, 1, dims=0).conj() + 1e-3
        for _ in range(_POWER_STEPS):
            found = torch.einsum("ijrc,jrc->irc", covariance, _without(found, sets))
            found = normalise(_without(found, sets))
        # An eigenvector has no phase of its own; a coil that is real everywhere makes it smooth.
        sets.append(found * torch.polar(torch.ones_like(found[anchor].abs()), -found[anchor].angle()))
    return sets


def _interpolated(coil_images: Tensor, first: Tensor, count: int, stride: int) -> Tensor:
    """Compute further sets on few pixels, and keep them orthogonal to the first in all."""
    few = _sets(coil_images, _local_covariance(coil_images, stride), first[:, ::stride, ::stride], count)
    sets = [first]
    for one in few[1:]:
        parts = torch.view_as_real(one).movedim(-1, 0)
        sizes = [stride * (size - 1) + 1 for size in one.shape[-2:]]
        parts = interpolate(parts, size=sizes, mode="bilinear", align_corners=True)
        rest = [length - size for length, size in zip(first.shape[-2:], sizes, strict=True)]
        parts = pad(parts, (0, rest[1], 0, rest[0]), mode="replicate")
        sets.append(normalise(_without(torch.complex(parts[0], parts[1]), sets)))
    return torch.stack(sets)


def _without(maps: Tensor, sets: list[Tensor]) -> Tensor:
    for one in sets:
        maps = maps - one * torch.linalg.vecdot(one, maps, dim=0)
    return maps


def _local_covariance(coil_images: Tensor, stride: int = 1) -> Tensor:
    """Average z z^H over a patch around every pixel, or every stride-th: (coils, coils, rows, columns)."""
    products = coil_images[:, None] * coil_images.conj()[None]
    parts = torch.view_as_real(products).movedim(-1, 0)
    smooth = avg_pool2d(parts.flatten(0, 1), _PATCH, stride=stride, padding=_PATCH // 2)
    smooth = smooth.view(*parts.shape[:-2], *smooth.shape[-2:])
    return torch.complex(smooth[0], smooth[1])
