"""Score of shearlets from a table: filters are applied by fast Fourier transforms."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.arrays import Singles
from napari_pogmdm.prior.scores.convolution_kernels import look_up
from napari_pogmdm.prior.scores.lookup import interpolate
from napari_pogmdm.prior.scores.table import Table
from napari_pogmdm.runtime.compiled import compiled
from napari_pogmdm.runtime.threads import side_by_side

_GROUPS = 4  # of filters; with the two planes of a complex image, eight threads have something to do


@compiled()
def _look_up_rows(rows: Singles, cells: Singles, inverse_step: np.float32) -> None:
    for y in range(rows.shape[0]):
        look_up(rows[y], cells, inverse_step, rows[y])


def spectral_score(planes: Tensor, spectra: Tensor, table: Table) -> Tensor:
    """Score of real images by real FFTs, one filter at a time so that memory stays at a few images.

    Parameters
    ----------
    planes
        Real images, (planes, height, width).
    spectra
        Half-plane spectra of the filters, (filters, height, width // 2 + 1).
    table
        Derivatives of these filters' potentials at the noise level.

    Returns
    -------
    Like ``planes``.
    """
    if planes.dtype == torch.float32 and planes.device.type == "cpu" and not planes.requires_grad:
        return _compiled_score(planes, spectra, table)
    image = torch.fft.rfft2(planes)
    total = torch.zeros_like(image)
    for k in range(spectra.shape[0]):
        responses = torch.fft.irfft2(spectra[k].conj() * image, s=planes.shape[-2:])
        active = interpolate(responses.unsqueeze(1), table, slice(k, k + 1)).squeeze(1)
        total = torch.addcmul(total, torch.fft.rfft2(active), spectra[k], value=-1)
    score: Tensor = torch.fft.irfft2(total, s=planes.shape[-2:])
    return score


def _compiled_score(planes: Tensor, spectra: Tensor, table: Table) -> Tensor:
    """Score of single-precision images on the CPU: threads take groups of filters, which are added up in order."""
    filters, shape = spectra.shape[0], planes.shape[-2:]
    groups = min(filters, _GROUPS)
    edges = [filters * group // groups for group in range(groups + 1)]
    images = torch.fft.rfft2(planes)
    totals = torch.zeros((len(planes), groups, *images.shape[1:]), dtype=images.dtype)

    def work(plane: int, group: int) -> None:
        for k in range(edges[group], edges[group + 1]):
            responses = torch.fft.irfft2(spectra[k].conj() * images[plane], s=shape)
            _look_up_rows(responses.numpy(), table.cells[k], table.inverse_steps[k])
            totals[plane, group].addcmul_(torch.fft.rfft2(responses), spectra[k], value=-1)

    side_by_side([partial(work, plane, group) for plane in range(len(planes)) for group in range(groups)])
    score: Tensor = torch.fft.irfft2(totals.sum(dim=1), s=shape)
    return score
