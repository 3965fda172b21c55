"""Coil sensitivities: root sum of squares, normalisation, and an estimate from the centre of k-space."""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.physics.masks.centre import central

_DARKEST = 1e-6  # of the brightest pixel, where rounding in single precision begins; below, coils fade to zero


def root_sum_of_squares(coil_images: Tensor) -> Tensor:
    """RSS over coils of (..., coils, rows, columns)."""
    if not coil_images.is_complex():
        return coil_images.square().sum(dim=-3).sqrt()
    # Many times faster on a CPU than a norm of complex numbers, whose roots are not needed.
    return (coil_images.real.square() + coil_images.imag.square()).sum(dim=-3).sqrt()


def normalise(coils: Tensor) -> Tensor:
    """Scale coils to a root sum of squares of 1 where they are not all zero."""
    magnitude = root_sum_of_squares(coils).unsqueeze(-3)
    return coils * magnitude.clamp_min(_DARKEST * float(magnitude.max()) or 1.0).reciprocal()


def low_pass_coils(kspace: Tensor, centre: tuple[int, int]) -> Tensor:
    """Estimate coils from the centre of k-space alone.

    Parameters
    ----------
    kspace
        (coils, rows, columns), measured.
    centre
        Rows and columns of the middle block to use; it is tapered by a Hann window against ringing.

    Returns
    -------
    (coils, rows, columns) with a root sum of squares of 1.
    """
    window = torch.ones(1, device=kspace.device, dtype=kspace.real.dtype)
    for size, width in zip(kspace.shape[-2:], centre, strict=True):
        taper = torch.zeros(size, device=kspace.device, dtype=kspace.real.dtype)
        taper[central(size, width)] = torch.hann_window(width + 2, periodic=False, device=kspace.device)[1:-1]
        window = window[..., None] * taper
    return normalise(to_image(kspace * window))
