"""What a mask does, before any reconstruction, fast enough to follow a brush."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquisition import Size, centre_crop
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.measurement import Measurement, zero_filled_image


@dataclass(frozen=True, eq=False)
class Preview:
    """What a mask does, before any reconstruction.

    Attributes
    ----------
    zero_filled
        (rows, columns) magnitude, cropped, in the units of the file.
    point_spread
        (rows, columns) magnitude of the mask's point-spread function in decibels below its peak, at most 80.
    """

    zero_filled: FloatImage
    point_spread: FloatImage


_FAINTEST = 1e-4  # of the peak, which is -80 dB: below lies what single precision makes of zeros


def preview_of(measurement: Measurement) -> Preview:
    """Show the first image of a measurement, along a trajectory or not, and its point spread."""
    return Preview(zero_filled_image(measurement), _decibels(measurement.sampling.point_spread()))


def preview(kspace: NDArray[np.complex64], mask: Mask, crop: Size) -> Preview:
    """Transform the measured samples of k-space (coils, rows, columns), and the mask itself.

    It keeps to one thread, so that it is not held up by a sampler that runs on all of them. The transform is not
    centred, which changes phases alone, so that only the combined image has to be shifted.

    Parameters
    ----------
    kspace
        (coils, rows, columns) of the slice, or of its virtual coils.
    mask
        Which samples are kept.
    crop
        Rows and columns of the image to give.
    """
    from scipy.fft import fftshift, ifftn

    coil_images = ifftn(kspace * mask.samples, axes=(-2, -1), norm="ortho", overwrite_x=True)
    zero_filled = fftshift(np.sqrt((coil_images.real**2 + coil_images.imag**2).sum(axis=0)))
    return Preview(
        zero_filled=np.ascontiguousarray(centre_crop(zero_filled, crop), dtype=np.float32),
        point_spread=_decibels(mask.point_spread()),
    )


def _decibels(magnitude: FloatImage) -> FloatImage:
    return (20 * np.log10(np.maximum(magnitude, _FAINTEST))).astype(np.float32)
