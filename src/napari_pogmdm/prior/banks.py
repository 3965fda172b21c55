"""Spectra and gains of a prior's filters, small or shearlets, on any image grid."""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.prior.configuration import Gain
from napari_pogmdm.prior.shearlets import embed

GAIN_GRID = 64  # frequencies a side, a dozen for each of five taps; a coarser grid would miss the peaks of spectra


def gains_of(magnitudes: Tensor, rule: Gain) -> Tensor:
    """Gain nu_k of each filter: the largest, root-mean-square or mean magnitude of its spectrum, (filters,).

    Spectra are not normalised, so that the root mean square is a filter's norm, by which it multiplies white noise. The
    paper prints this as nu_k^2; the heat equation needs it as nu_k, so that variances use its square.
    """
    match rule:
        case Gain.MAX:
            return magnitudes.amax((-2, -1))
        case Gain.RMS:
            return magnitudes.square().mean((-2, -1)).sqrt()
    return magnitudes.mean((-2, -1))


def local_gains(filters: Tensor, rule: Gain) -> Tensor:
    """Gains of small filters (filters, taps, taps), on a grid fine enough to see their peaks."""
    return gains_of(torch.fft.fft2(filters, s=(GAIN_GRID, GAIN_GRID)).abs(), rule)


def local_spectra(filters: Tensor, shape: tuple[int, int]) -> Tensor:
    """Full-plane spectra of small filters on an image grid, centre tap at index (0, 0)."""
    spectra: Tensor = torch.fft.fft2(embed(torch.fft.ifftshift(filters, dim=(-2, -1)), shape))
    return spectra


def resized_spectra(spectra: Tensor, shape: tuple[int, int]) -> Tensor:
    """Carry spectra of real filters from their reference grid to another image grid."""
    if spectra.shape[-2:] == torch.Size(shape):
        return spectra
    resized: Tensor = torch.fft.fft2(embed(torch.fft.ifft2(spectra).real, shape))
    return resized
