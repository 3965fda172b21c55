"""Whether every second line has a different phase, as in two shots that do not fit together.

The ghost that it makes, half a field of view away, looks to two map sets like a field of view that wraps, so that it
cannot be found by how well samples are predicted. The fully sampled centre shows it directly: images of its even and of
its odd lines, E = a + b and O = (a - b) e^(i phi), where b is a shifted by half the field of view. Where one of a and b
is dark, which is most of a field of view that does not wrap, (O conj(E))^2 has the phase 2 phi.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.physics.masks.centre import central
from napari_pogmdm.recon.coils.left_out import line_axis
from napari_pogmdm.recon.measurement import Measurement

_FEWEST_LINES = 8  # below that, even and odd lines make images too different: angles of consistent scans reach 0.4
_WIDEST = 32  # samples a side; the farther ones add noise
_COHERENT = 0.9  # above it, consistent development scans have angles up to 0.07; below, a and b overlap: up to 0.5


def shot_phase(measurement: Measurement) -> float:
    """Phase phi in radians, from -pi / 2 to pi / 2, of odd against even lines; 0 where it cannot be told.

    A phase of pi moves the image by half the field of view, and spoils nothing; it counts as 0.
    """
    axis = line_axis(measurement.sampling.measured)
    if axis is None or measurement.sampling.centre[axis] < _FEWEST_LINES:
        return 0.0
    kspace = measurement.kspace.cpu()
    kspace = kspace.mT if axis == 0 else kspace
    lines, width = (min(_WIDEST, measurement.sampling.centre[axis]), min(_WIDEST, kspace.shape[1]))
    block = kspace[:, central(kspace.shape[1], width), central(kspace.shape[2], lines)]
    block = block * _taper(width)[:, None] * _taper(lines)
    odd = torch.from_numpy(np.arange(lines) % 2 == 1)
    padded = torch.zeros(block.shape[0], 2 * width, 2 * lines, dtype=block.dtype)
    room = (slice(None), central(2 * width, width), central(2 * lines, lines))
    images = []
    for which in (~odd, odd):
        padded[room] = block * which
        images.append(to_image(padded))
    squared = (images[1] * images[0].conj()).sum(dim=0).square()
    whole = squared.sum()
    coherent = float(whole.abs()) >= _COHERENT * float(squared.abs().sum())
    return float(whole.angle()) / 2 if coherent else 0.0


def _taper(width: int) -> Tensor:
    return torch.hann_window(width + 2, periodic=False)[1:-1]
