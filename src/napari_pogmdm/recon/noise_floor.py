"""Noise of the data from the residual, and the noise floor that it leaves in a root-sum-of-squares image.

The root sum of squares of fully sampled coil images, which is what scanners show and what fastMRI compares with, is
not black where there is no signal: its expected square is |x|^2 + 2 C sigma^2 for C coils whose real and imaginary
parts carry noise of standard deviation sigma. A model-based reconstruction leaves that noise in the residual, from
which it can be measured.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import avg_pool2d

from napari_pogmdm.physics.noise import MEDIAN_TO_DEVIATION
from napari_pogmdm.recon.measurement import Measurement

_DARKEST = 0.25  # share of the pixels; background in most fields of view, so no structure is taken for noise there
_BLUR = 5  # pixels, after thinning, over which brightness is averaged: noise shall not decide which pixels are dark
_THINNING = 2  # every second pixel of every second row is plenty
_OUTERMOST = 0.1  # share of the samples; fewer hold less signal, more make a steadier median
_FEWEST = 64  # samples a coil, whose median still tells the noise to within a tenth


def outer_noise(measurement: Measurement) -> float:
    """Noise standard deviation of a real component of k-space, from the tenth of the samples that lies furthest out.

    What signal is left out there makes it too high: it is where `residual_noise` takes over from.
    """
    noisy = measurement.measured & ~(measurement.kspace == 0).all(dim=0)
    radius = torch.from_numpy(measurement.sampling.radius).to(noisy.device)[noisy]
    count = min(radius.numel(), max(_FEWEST, int(_OUTERMOST * radius.numel())))
    outermost = radius.topk(count).indices
    samples = measurement.kspace[:, noisy][:, outermost]
    parts = torch.cat((samples.real.flatten(), samples.imag.flatten()))
    return MEDIAN_TO_DEVIATION * float(parts.abs().median())


def residual_noise(residual: Tensor, magnitude: Tensor, acceleration: float) -> Tensor:
    """Noise standard deviation of a real component of k-space, from the residual in the darkest quarter of the image.

    Parameters
    ----------
    residual
        Coil images (chains, coils, rows, columns) of what the estimates do not explain, `FourierEncoding.whitened`; the
        noise in them is smaller by the square root of the acceleration.
    magnitude
        (chains, rows, columns); smoothed to tell dark from bright.
    acceleration
        Grid points over samples that hold noise (`Measurement.noisy_acceleration`).

    Returns
    -------
    (chains,)
    """
    every = np.s_[..., ::_THINNING, ::_THINNING]
    blurred = avg_pool2d(magnitude[every].unsqueeze(1), _BLUR, stride=1, padding=_BLUR // 2, count_include_pad=False)
    blurred = blurred.flatten(1)
    dark = blurred <= blurred.kthvalue(max(1, int(_DARKEST * blurred.shape[-1])), dim=-1, keepdim=True).values
    median = _median_on_host if residual.device.type == "cpu" else _median_on_card
    levels = [
        MEDIAN_TO_DEVIATION * median(torch.view_as_real(chain.flatten(1)), pixels)
        for chain, pixels in zip(residual[every], dark, strict=True)
    ]
    return torch.stack(levels) * math.sqrt(acceleration)


def _median_on_host(parts: Tensor, pixels: Tensor) -> Tensor:
    """Median of the magnitudes of (coils, pixels, parts) in the pixels that a mask chooses."""
    return parts[:, pixels].abs().median()


def _median_on_card(parts: Tensor, pixels: Tensor) -> Tensor:
    """Find the same without asking how many pixels were chosen, for which the host would have to wait."""
    magnitudes = parts.abs().masked_fill(~pixels[:, None], math.inf).flatten().sort().values
    count = pixels.sum() * parts.shape[0] * parts.shape[-1]
    return magnitudes.gather(0, ((count - 1) // 2).reshape(1))[0]


def with_noise_floor(magnitude: NDArray[np.floating], noise: float, coils: int) -> NDArray[np.floating]:
    """Turn |x| into the root sum of squares that noisy coils would show of it on average."""
    return np.sqrt(magnitude**2 + 2 * coils * noise**2)
