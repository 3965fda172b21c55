"""Noise of k-space: its standard deviation from the rim, and prewhitening of coils."""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError

MEDIAN_TO_DEVIATION = 1.4826
"""Standard deviation of normal noise over the median of its magnitude; what signal there is hardly moves a median."""

_RIM = 1.1  # half-widths from the centre; beyond 1 lie the corners of k-space, where the signal has faded most
_RIM_OF_CIRCLE = 0.9  # of the largest distance, where a trajectory has no corners
_FEWEST_SAMPLES = 32  # so 64 real numbers, whose median tells the noise to within a seventh
_SAMPLES_PER_COIL = 4  # with fewer, the covariance between coils would be mostly chance
_LOADING = 1e-9  # of the mean power, added to the diagonal: rounding of double precision, so that coils may be copies


def noise_from_periphery(kspace: Tensor, mask: Tensor, radius: Tensor | None = None) -> Tensor:
    """Noise standard deviation of a real component, per coil, from the rim of k-space where there is little signal.

    Parameters
    ----------
    kspace
        (coils, rows, columns), zero where nothing was measured, or (coils, samples) along a trajectory.
    mask
        (rows, columns) bool of measured samples, or (samples,).
    radius
        Distance of each sample from the centre in half-widths of k-space, like the mask; by default that of the grid.
    """
    rim = _rim_samples(kspace, mask, radius)
    parts = torch.cat((rim.real, rim.imag), dim=-1)
    return MEDIAN_TO_DEVIATION * parts.abs().median(dim=-1).values


def whitening_matrix(kspace: Tensor, mask: Tensor, radius: Tensor | None = None) -> Tensor:
    """Make the noise of all coils uncorrelated and equal, keeping its mean power.

    Parameters
    ----------
    kspace, mask, radius
        As `noise_from_periphery` takes them.

    Returns
    -------
    (coils, coils), for `whiten`.
    """
    rim = _rim_samples(kspace, mask, radius).cpu().to(torch.complex128)
    if rim.shape[-1] < _SAMPLES_PER_COIL * rim.shape[0]:
        raise InputError(f"whitening: {rim.shape[-1]} samples at the rim are too few for {rim.shape[0]} coils.")
    covariance = rim @ rim.conj().T / (2 * rim.shape[-1])
    power = covariance.diagonal().real.mean()
    factor = torch.linalg.cholesky(covariance + _LOADING * power * torch.eye(len(covariance)))
    whitening = torch.linalg.inv(factor) * power.sqrt()
    return whitening.to(kspace.device, kspace.dtype)


def whiten(kspace: Tensor, matrix: Tensor) -> Tensor:
    """Apply a whitening matrix to k-space (coils, rows, columns) or (coils, samples)."""
    return torch.einsum("dc,c...->d...", matrix, kspace)


def _rim_samples(kspace: Tensor, mask: Tensor, radius: Tensor | None) -> Tensor:
    if radius is None:
        down, across = ((torch.arange(size) - size // 2).abs() / (size / 2) for size in kspace.shape[-2:])
        radius = torch.hypot(down[:, None], across[None, :])
    farthest = float(radius.max())
    rim = (radius >= (_RIM if farthest > _RIM else _RIM_OF_CIRCLE * farthest)).to(kspace.device)
    padding = (kspace == 0).all(dim=0)
    samples = kspace[:, rim & mask.to(kspace.device, torch.bool) & ~padding]
    if samples.shape[-1] < _FEWEST_SAMPLES:
        raise InputError(
            "noise: the mask leaves too few samples at the rim of k-space to estimate it; give it by hand."
        )
    return samples
