"""The nonseparable shearlet system, grown from its generators, differentiably.

Filters are built once on a square reference grid that holds their support (to seven digits), then periodised
or zero-padded to the image: so one set of parameters is the same prior on every image size, square or not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from napari_pogmdm.prior.configuration import shears


def reference_size(scales: int) -> int:
    """Side of the grid that holds every sheared filter: 128 for one or two scales, 256 for three or four."""
    return 128 if scales <= 2 else 256


@dataclass(frozen=True)
class _Scale:
    """Constants of one scale: levels of the two pyramids and the shears' phases."""

    half_octave: int
    band_level: int
    phases: Tensor


@lru_cache(maxsize=8)
def _scale(scale: int, scales: int, size: int, dtype: torch.dtype) -> _Scale:
    """Phases e^(2 pi i w k r / (f n)) that shift row r by k r fine samples; shape (shears, f, rows, columns)."""
    half_octave = math.ceil(scale / 2)
    factor = 2**half_octave
    rows = torch.fft.fftfreq(size, 1 / size, dtype=torch.float64)
    fine = torch.arange(factor * size, dtype=torch.float64).reshape(factor, 1, size)
    shear = torch.arange(-shears(scale), shears(scale) + 1, dtype=torch.float64).reshape(-1, 1, 1, 1)
    turns = torch.remainder(fine * shear * rows.reshape(-1, 1), factor * size) / (factor * size)
    phases = torch.polar(torch.ones_like(turns), 2 * math.pi * turns).to(dtype.to_complex())
    return _Scale(half_octave, scales - scale + 1, phases)


def _convolve(first: Tensor, second: Tensor) -> Tensor:
    """Full one-dimensional convolution."""
    kernel = second.flip(0).reshape(1, 1, -1)
    return torch.nn.functional.conv1d(first.reshape(1, 1, -1), kernel, padding=second.numel() - 1).flatten()


def _pyramid(start: Tensor, taps: Tensor, level: int) -> Tensor:
    """Level m of a filter pyramid: insert a zero between samples, convolve with h1, m - 1 times."""
    current = start
    for _ in range(level - 1):
        spread = torch.zeros(2 * current.numel() - 1, dtype=current.dtype, device=current.device)
        spread[::2] = current
        current = _convolve(spread, taps)
    return current


def _centred_spectrum(taps: Tensor, size: int) -> Tensor:
    """DFT of length ``size`` of an odd filter whose centre tap sits at index zero."""
    padded = torch.nn.functional.pad(taps, (0, size - taps.numel()))
    spectrum: Tensor = torch.fft.fft(torch.roll(padded, -(taps.numel() // 2)))
    return spectrum


def _cone(low_pass: Tensor, fan: Tensor, scale: int, scales: int, size: int) -> Tensor:
    """Spectra of one scale's shears in the first cone, shape (shears, size, size)."""
    constants = _scale(scale, scales, size, low_pass.dtype)
    octave = constants.half_octave
    signs = torch.tensor([(-1.0) ** n for n in range(low_pass.numel())], dtype=low_pass.dtype)
    # with a single scale the second pyramid level was never built: the first takes its place
    smooth = _pyramid(low_pass, low_pass, octave + 1 if scales > 1 else 1)
    band = _pyramid(low_pass * signs, low_pass, constants.band_level)
    spread = torch.zeros(size, size, dtype=fan.dtype)
    row_step = 2 ** (octave + 1)
    rows = [(row_step * (row - 8)) % size for row in range(17)]
    columns = [(column - 8) % size for column in range(17)]
    spread = spread.index_put((torch.tensor(rows)[:, None], torch.tensor(columns)[None]), fan)
    separable = _centred_spectrum(smooth, size)[:, None] * _centred_spectrum(band, size)[None]
    generator = torch.fft.ifft(torch.fft.fft2(spread) * separable, dim=0)
    factor = 2**octave
    interpolation = _centred_spectrum(_pyramid(low_pass, low_pass, octave), factor * size)
    power = (interpolation.real**2 + interpolation.imag**2).reshape(factor, 1, size)
    spectra: Tensor = torch.fft.fft((constants.phases * power).sum(1) * generator, dim=-2)
    return spectra


def shearlet_spectra(low_pass: Tensor, fan: Tensor, scales: int) -> Tensor:
    """Spectra of all filters on the reference grid, in the order cone, scale, shear.

    Parameters
    ----------
    low_pass
        Generator h1, (9,).
    fan
        Generator P, (17, 17).
    scales
        Number J of scales; scale 1 is the coarsest.

    Returns
    -------
    (filters, n, n), complex; un-normalised DFTs of real filters centred at index (0, 0).
    """
    size = reference_size(scales)
    first = torch.cat([_cone(low_pass, fan, scale, scales, size) for scale in range(1, scales + 1)])
    return torch.cat([first, first.transpose(-2, -1)])


def embed(kernels: Tensor, shape: tuple[int, int]) -> Tensor:
    """Carry kernels centred at index (0, 0) to another periodic grid: zero-pad where larger, wrap where smaller."""
    for axis, size in zip((-2, -1), shape, strict=True):
        length = kernels.shape[axis]
        offsets = torch.fft.fftfreq(length, 1 / length).round().long().to(kernels.device)
        target = torch.zeros(
            [size if d == axis % kernels.ndim else n for d, n in enumerate(kernels.shape)],
            dtype=kernels.dtype,
            device=kernels.device,
        )
        kernels = target.index_add(axis % kernels.ndim, offsets % size, kernels)
    return kernels
