"""Noise of k-space: its standard deviation from the rim, and prewhitening of coils."""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError

MEDIAN_TO_DEVIATION = 1.4826
"""Standard deviation of normal noise over the median of its magnitude; what signal there is hardly moves a median."""

_RIM = 1.1  # half-widths from the centre; beyond 1 lie the corners of k-space, where the signal has faded most
_FEWEST_SAMPLES = 32  # so 64 real numbers, whose median tells the noise to within a seventh
_SAMPLES_PER_COIL = 4  # with fewer, the covariance between coils would be mostly chance
_LOADING = 1e-9  # of the mean power, added to the diagonal: rounding of double precision, so that coils may be copies


def noise_from_periphery(kspace: Tensor, mask: Tensor, outer: float = _RIM) -> Tensor:
    """Noise standard deviation of a real component, per coil, from the rim of k-space where there is little signal.

    Parameters
    ----------
    kspace
        (coils, rows, columns), zero where nothing was measured.
    mask
        (rows, columns) bool of measured samples.
    outer
        Samples further from the centre than this many half-widths count as the rim.
    """
    rim = _rim_samples(kspace, mask, outer)
    parts = torch.cat((rim.real, rim.imag), dim=-1)
    return MEDIAN_TO_DEVIATION * parts.abs().median(dim=-1).values


def whitening_matrix(kspace: Tensor, mask: Tensor, outer: float = _RIM) -> Tensor:
    """Matrix (coils, coils) that makes the noise of all coils uncorrelated and equal, keeping its mean power."""
    rim = _rim_samples(kspace, mask, outer).cpu().to(torch.complex128)
    if rim.shape[-1] < _SAMPLES_PER_COIL * rim.shape[0]:
        raise InputError(f"whitening: {rim.shape[-1]} samples at the rim are too few for {rim.shape[0]} coils.")
    covariance = rim @ rim.conj().T / (2 * rim.shape[-1])
    power = covariance.diagonal().real.mean()
    factor = torch.linalg.cholesky(covariance + _LOADING * power * torch.eye(len(covariance)))
    whitening = torch.linalg.inv(factor) * power.sqrt()
    return whitening.to(kspace.device, kspace.dtype)


def whiten(kspace: Tensor, matrix: Tensor) -> Tensor:
    """Apply a whitening matrix to k-space (coils, rows, columns)."""
    return torch.einsum("dc,cyx->dyx", matrix, kspace)


def _rim_samples(kspace: Tensor, mask: Tensor, outer: float) -> Tensor:
    distances = [
        (torch.arange(size, device=kspace.device) - size // 2).abs() / (size / 2) for size in kspace.shape[-2:]
    ]
    rim = torch.hypot(distances[0][:, None], distances[1][None, :]) >= outer
    padding = (kspace == 0).all(dim=0)
    samples = kspace[:, rim & mask.to(kspace.device, torch.bool) & ~padding]
    if samples.shape[-1] < _FEWEST_SAMPLES:
        raise InputError(
            "noise: the mask leaves too few samples at the rim of k-space to estimate it; give it by hand."
        )
    return samples
