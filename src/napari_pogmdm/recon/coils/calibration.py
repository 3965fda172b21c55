"""Calibrated coils (ESPIRiT) without further packages: eigenvectors of the projection onto what the centre spans.

They are computed on few pixels, as coils are smooth, and need a phase from elsewhere: an eigenvector has none, and the
one it gets decides over decibels (validation scan, C4/8, preset fast: 35.9 dB in the phase of the strongest virtual
coil, 38.8 dB in that of the low-pass coils; a uniform ball the other way round, 32.4 against 20.7 dB).
"""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import normalise
from napari_pogmdm.physics.masks.centre import central
from napari_pogmdm.recon.measurement import Measurement

_KERNEL = 6  # samples a side, as ESPIRiT is used everywhere; smaller where the centre holds fewer than two of them
_WIDEST = 24  # samples a side of the calibration region; more costs time and adds little
_NARROWEST = 8  # samples a side: room for a few positions of the smallest useful kernel
_THRESHOLD = 0.02  # of the largest singular value: kernels below it are noise
_POWER_STEPS = 12  # towards the eigenvector; neighbouring eigenvalues are well apart inside the object
_COARSE = 64  # pixels a side on which the maps are computed: a kernel of 6 samples cannot vary faster
_TINY = 1e-6  # keeps a power iteration from starting at, or dividing by, zero


def calibrates(measurement: Measurement) -> bool:
    """Whether the fully sampled centre is large enough to calibrate on."""
    return min(measurement.sampling.centre) >= _NARROWEST


def calibrated_coils(measurement: Measurement, like: Tensor) -> Tensor:
    """Estimate coils (coils, rows, columns) with a root sum of squares of 1.

    Parameters
    ----------
    measurement
        Data with a fully sampled centre.
    like
        (coils, rows, columns): maps are turned so that their sum over conj(like) is positive in every pixel.
    """
    if not calibrates(measurement):
        rows, columns = measurement.sampling.centre
        raise InputError(
            f"coil_start: the fully sampled centre is {rows} x {columns}, too small to calibrate on; choose newton."
        )
    kspace = measurement.gridded.cpu()  # small matrices, and eigenvectors that not every device can find
    maps = _maps(kspace, min(*measurement.sampling.centre, _WIDEST))  # of a square: longer blocks give rougher maps
    reference = _resized(like.cpu(), (maps.shape[1], maps.shape[2]))
    turned = maps * torch.polar(torch.ones(()), -torch.linalg.vecdot(reference, maps, dim=0).angle())
    return normalise(_resized(turned, measurement.shape)).to(measurement.kspace.device)


def _maps(kspace: Tensor, side: int) -> Tensor:
    """Coarse maps (coils, at most 64, at most 64) of arbitrary phase with a root sum of squares of 1.

    Kernels are the right singular vectors of the matrix of all patches of the centre that carry signal. Their Gram
    matrix in a pixel, (coils, coils), is the transform of their correlations, which are no wider than 2 kernel - 1.
    """
    coils, rows, columns = kspace.shape
    block = kspace[:, central(rows, side), central(columns, side)]
    width = min(_KERNEL, side // 2)
    patches = block.unfold(1, width, 1).unfold(2, width, 1).permute(1, 2, 0, 3, 4).reshape(-1, coils * width**2)
    energies, vectors = torch.linalg.eigh(patches.mH @ patches)
    kernels = vectors[:, energies > _THRESHOLD**2 * energies[-1]].mT.reshape(-1, coils, width, width)

    size = 2 * width  # room for all shifts
    spectra = torch.fft.fft2(kernels, s=(size, size))
    correlations = torch.fft.ifft2(torch.einsum("kiab,kjab->ijab", spectra, spectra.conj()))
    grid = min(rows, _COARSE), min(columns, _COARSE)
    padded = torch.zeros((coils, coils, *grid), dtype=kspace.dtype)
    shifts = torch.fft.fftfreq(size, 1 / size).long()
    padded[:, :, (shifts % grid[0])[:, None], (shifts % grid[1])[None, :]] = correlations
    gram = torch.fft.fftshift(torch.fft.fft2(padded), dim=(-2, -1)).conj() / width**2

    matrices = gram.permute(2, 3, 0, 1).reshape(-1, coils, coils)
    maps = matrices.sum(dim=-1, keepdim=True) + _TINY
    for _ in range(_POWER_STEPS):
        maps = matrices @ maps
        maps = maps / torch.linalg.vector_norm(maps, dim=1, keepdim=True).clamp_min(_TINY)
    return maps[:, :, 0].mT.reshape(coils, *grid)


def _resized(maps: Tensor, shape: tuple[int, int]) -> Tensor:
    """Interpolate smooth maps (coils, rows, columns) linearly around the same middle pixel."""
    down, across = (_interpolation(have, want) for have, want in zip(maps.shape[-2:], shape, strict=True))
    return down.to(maps) @ maps @ across.to(maps).mT


def _interpolation(have: int, want: int) -> Tensor:
    """Matrix (want, have) of linear interpolation; the field of view is periodic."""
    place = have // 2 + (torch.arange(want) - want // 2) * (have / want)
    first = place.floor().long()
    matrix = torch.zeros(want, have)
    matrix[torch.arange(want), first % have] += 1 - (place - first)
    matrix[torch.arange(want), (first + 1) % have] += place - first
    return matrix
