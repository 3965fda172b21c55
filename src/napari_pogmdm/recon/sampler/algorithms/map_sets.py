"""A second set of coil maps, for scans in which two places of the body share a pixel because the field of view wraps.

One map cannot explain such a pixel: its coil images are the sum of two signals with different sensitivities. The first
set comes from the usual start. Further ones come from the local covariance of the coil images, which has as many large
eigenvalues as there are signals: the strongest eigenvector outside what the earlier sets explain.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

from napari_pogmdm.physics.coils import normalise

_PATCH = 9  # pixels a side; more of them than coils to tell signals apart, and small beside the coils' own changes
_POWER_STEPS = 6  # each turns the map towards the strongest eigenvector; the data steps that follow do the rest


def more_sets(coil_images: Tensor, first: Tensor, count: int) -> Tensor:
    """Add sets to the first one.

    Parameters
    ----------
    coil_images
        Zero-filled, (coils, rows, columns).
    first
        (coils, rows, columns), with a root sum of squares of 1.
    count
        Sets in all.

    Returns
    -------
    (count, coils, rows, columns); the sets are orthogonal in every pixel.
    """
    sets = [first]
    covariance = _local_covariance(coil_images)
    anchor = int(coil_images.abs().square().sum(dim=(-2, -1)).argmax())
    while len(sets) < count:
        found = torch.roll(first, 1, dims=0).conj() + 1e-3
        for _ in range(_POWER_STEPS):
            found = torch.einsum("ijrc,jrc->irc", covariance, _without(found, sets))
            found = normalise(_without(found, sets))
        # An eigenvector has no phase of its own; a coil that is real everywhere makes it smooth.
        sets.append(found * torch.polar(torch.ones_like(found[anchor].abs()), -found[anchor].angle()))
    return torch.stack(sets)


def _without(maps: Tensor, sets: list[Tensor]) -> Tensor:
    for one in sets:
        maps = maps - one * torch.linalg.vecdot(one, maps, dim=0)
    return maps


def _local_covariance(coil_images: Tensor) -> Tensor:
    """Average z z^H over a patch around every pixel: (coils, coils, rows, columns)."""
    products = coil_images[:, None] * coil_images.conj()[None]
    parts = torch.view_as_real(products).movedim(-1, 0)
    smooth = avg_pool2d(parts.flatten(0, 1), _PATCH, stride=1, padding=_PATCH // 2).view_as(parts)
    return torch.complex(smooth[0], smooth[1])
