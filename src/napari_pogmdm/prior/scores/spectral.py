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


@compiled()
def _look_up_rows(rows: Singles, cells: Singles, inverse_step: np.float32) -> None:
    for y in range(rows.shape[0]):
        look_up(rows[y], cells, inverse_step, rows[y])


def _apply_in_place(responses: Tensor, table: Table, k: int, threads: int) -> None:
    """Replace the responses of filter k (planes, height, width), float32 on the CPU, by their activations."""
    rows = responses.view(-1, responses.shape[-1]).numpy()
    parts = np.array_split(rows, threads)
    side_by_side([partial(_look_up_rows, part, table.cells[k], table.inverse_steps[k]) for part in parts], threads)


def spectral_score(planes: Tensor, spectra: Tensor, table: Table, threads: int) -> Tensor:
    """Score of real images by real FFTs, one filter at a time so that memory stays at a few images.

    Parameters
    ----------
    planes
        Real images, (planes, height, width).
    spectra
        Half-plane spectra of the filters, (filters, height, width // 2 + 1).
    table
        Derivatives of these filters' potentials at the noise level.
    threads
        How many look up activations, where that is compiled.

    Returns
    -------
    Like ``planes``.
    """
    shape = planes.shape[-2:]
    compiled = planes.dtype == torch.float32 and planes.device.type == "cpu"
    image = torch.fft.rfft2(planes)
    total = torch.zeros_like(image)
    for k in range(spectra.shape[0]):
        responses = torch.fft.irfft2(spectra[k].conj() * image, s=shape)
        if compiled:
            _apply_in_place(responses, table, k, threads)
        else:
            responses = interpolate(responses.unsqueeze(1), table, slice(k, k + 1)).squeeze(1)
        total.addcmul_(torch.fft.rfft2(responses), spectra[k], value=-1)
    score: Tensor = torch.fft.irfft2(total, s=shape)
    return score
