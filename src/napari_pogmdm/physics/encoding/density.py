"""Density weights: the share of k-space that each sample stands for, found by iteration (Pipe and Menon 1999).

They are for the first image and for the first coils. The data term of a reconstruction has none: every sample has the
same noise, and so counts alike.
"""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.physics.encoding.nufft import adjoint_nufft, nufft

_ROUNDS = 20  # after which weights of radial and spiral trajectories change by less than a per cent
_LEAST_DENSITY = 1e-3  # of one sample a grid point; a lonely sample must not divide by zero


def density_weights(positions: Tensor, shape: tuple[int, int]) -> Tensor:
    """Find weights w with (w * kernel)(k) = 1 at every sample; on a full grid, all are 1.

    The kernel is the transform of a triangle over the field of view: it is positive and about two grid points wide, so
    that samples with gaps around them stand for no more than that.

    Parameters
    ----------
    positions
        (samples, 2) in cycles per pixel.
    shape
        Rows and columns of the image.

    Returns
    -------
    (samples,) double, on the CPU.
    """
    places = positions.cpu().to(torch.float64)
    down, across = (1 - (torch.arange(n, dtype=torch.float64) - n // 2).abs() / (n / 2) for n in shape)
    window = down[:, None] * across
    weights = torch.ones(len(places), dtype=torch.float64)
    for _ in range(_ROUNDS):
        spread = adjoint_nufft(weights.to(torch.complex128), places, shape)
        weights = weights / nufft(spread * window, places).real.clamp_min(_LEAST_DENSITY)
    return weights
