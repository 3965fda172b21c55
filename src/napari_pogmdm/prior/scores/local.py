"""Score of small filters from a table: compiled on the CPU, by torch elsewhere."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import conv2d, conv_transpose2d, pad

from napari_pogmdm.prior.scores.convolution_kernels import score_band
from napari_pogmdm.prior.scores.lookup import interpolate
from napari_pogmdm.prior.scores.table import Table
from napari_pogmdm.runtime.threads import side_by_side, thread_count

_BAND_HEIGHT = 4  # filter heights: the rows that a band computes outside itself are then a quarter of its own at most
_CHUNK = 2  # filters at a time, whose responses torch keeps all at once: more would take more memory


def real_planes(images: Tensor) -> list[NDArray[np.float32]]:
    """View every real image, or real and imaginary part, of a CPU tensor (..., height, width) as an array."""
    detached = images.detach()
    parts = torch.view_as_real(detached) if detached.is_complex() else detached.unsqueeze(-1)
    array = parts.numpy()
    return [array[(*lead, ..., part)] for lead in np.ndindex(*images.shape[:-2]) for part in range(array.shape[-1])]


def compiled_local_score(images: Tensor, filters: NDArray[np.float32], table: Table, out: Tensor) -> None:
    """Write the score of single-precision CPU images into ``out``, both of any strides.

    Each thread computes bands of rows together with the few responses just outside them, so threads share nothing,
    and every row is the same, however many bands there are.

    Parameters
    ----------
    images
        (..., height, width), real or complex.
    filters
        (filters, taps, taps).
    table
        Derivatives of these filters' potentials at the noise level.
    out
        Written; like ``images``.
    """
    sources, targets = real_planes(images), real_planes(out)
    height, threads = images.shape[-2], thread_count()
    bands = max(1, min(-(-threads // len(sources)), height // (_BAND_HEIGHT * filters.shape[1])))
    edges = [height * band // bands for band in range(bands + 1)]
    places = [(plane, edges[band], edges[band + 1]) for plane in range(len(sources)) for band in range(bands)]

    def job(plane: int, first: int, last: int) -> None:
        score_band(sources[plane], filters, table.cells, table.inverse_steps, first, last, targets[plane])

    side_by_side([partial(job, *where) for where in places])


def circular_responses(planes: Tensor, filters: Tensor) -> Tensor:
    """Correlate real images (planes, height, width) with filters, circularly: (planes, filters, height, width)."""
    half = filters.shape[-1] // 2
    return conv2d(pad(planes.unsqueeze(1), (half,) * 4, mode="circular"), filters.unsqueeze(1))


def circular_adjoint(responses: Tensor, filters: Tensor) -> Tensor:
    """Adjoint of `circular_responses`, summed over filters: (planes, height, width)."""
    taps = filters.shape[-1]
    padded = pad(responses, (taps // 2,) * 4, mode="circular")
    full = conv_transpose2d(padded, filters.unsqueeze(1)).squeeze(1)
    return full[..., taps - 1 : 1 - taps, taps - 1 : 1 - taps]


def torch_local_score(planes: Tensor, filters: Tensor, table: Table) -> Tensor:
    """Compute the same score with torch operations, on any device and in any float type, a few filters at a time."""
    total = torch.zeros_like(planes)
    for start in range(0, filters.shape[0], _CHUNK):
        chunk = slice(start, start + _CHUNK)
        active = interpolate(circular_responses(planes, filters[chunk]), table, chunk)
        total -= circular_adjoint(active, filters[chunk])
    return total
