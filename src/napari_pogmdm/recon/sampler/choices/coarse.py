"""A scan with fewer pixels, for trials: the middle of k-space, which holds all that was left out of the fit.

Coils are as smooth in few pixels as in many, a field of view that wraps does so at any resolution, and samples further
out than those that are judged add detail to the image alone. So trials see no less, and take a quarter of the time.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.coils.left_out import FARTHEST, line_axis
from napari_pogmdm.recon.measurement import Measurement

_FEWEST = 96  # pixels a side: with fewer, the prior's 5 x 5 filters see as much of the object as its shape
_EVEN = 8  # sizes are multiples of it, of which a Fourier transform is quick


def coarse(held: Measurement) -> Measurement:
    """Keep the middle of k-space, scaled so that its zero-filled image has a largest value of 1.

    Parameters
    ----------
    held
        Data with samples left out, all of which are kept along the axis of lines. Those along a trajectory are given
        back as they are: they lie on no grid that could be cut.
    """
    if not isinstance(held.sampling, Mask):
        return held
    sizes = [_size(length, FARTHEST * length / 2) for length in held.shape]
    axis = line_axis(held.sampling.samples)
    if axis is not None and held.left_out is not None:
        lines = held.left_out.any(dim=0).any(dim=1 - axis).cpu().numpy()
        reach = np.abs(np.flatnonzero(lines) - lines.size // 2).max(initial=0)
        sizes[axis] = max(sizes[axis], _size(lines.size, float(reach)))
    block = tuple(
        slice(length // 2 - size // 2, length // 2 - size // 2 + size)
        for length, size in zip(held.shape, sizes, strict=True)
    )
    kspace = held.kspace[:, *block]
    peak = float(root_sum_of_squares(to_image(kspace)).max()) or 1.0
    return replace(
        held,
        kspace=kspace / peak,
        sampling=replace(held.sampling, samples=np.ascontiguousarray(held.sampling.samples[block])),
        scale=held.scale * peak,
        crop=(sizes[0], sizes[1]),
        left_out=None if held.left_out is None else held.left_out[:, *block].contiguous(),
    )


def _size(length: int, reach: float) -> int:
    """Pixels a side that hold samples up to so many from the middle."""
    wanted = _EVEN * -(-int(2 * reach + 2) // _EVEN)
    return min(length, max(_FEWEST, wanted))
