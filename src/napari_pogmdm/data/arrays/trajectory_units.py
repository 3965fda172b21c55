"""Trajectories come in several units: turned into cycles per pixel, and cut to what a grid can hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.errors import InputError

_EDGE = 0.5  # cycles per pixel: the finest that a grid can hold
_ROUNDING = 1.02  # how far beyond the edge rounding, and half a sample, may take a trajectory


def scale_to_cycles(furthest: float, sizes: Sequence[int], name: str) -> tuple[float, str]:
    """Find the factor that turns a trajectory into cycles per pixel, and say what was done.

    Parameters
    ----------
    furthest
        Its largest coordinate, without sign.
    sizes
        Of the image along the readout, to try in turn: a trajectory that goes further than half a cycle counts periods
        over one of these fields of view.
    name
        Of the file.
    """
    if not np.isfinite(furthest):
        raise InputError(f"{name}: its trajectory holds NaN or infinite positions; export it again.")
    if furthest <= 0:
        raise InputError(f"{name}: its trajectory stays at the centre of k-space; export it again.")
    if furthest <= _EDGE * _ROUNDING:
        return 1.0, ""
    for size in sorted(sizes):
        if furthest / size <= _EDGE * _ROUNDING:
            return 1 / size, f"trajectory divided by {size}, to cycles per pixel"
    raise InputError(
        f"{name}: its trajectory goes to {furthest:.3g}, expected at most 0.5 cycles per pixel, or {max(sizes) / 2:g} "
        "periods over the field of view; rescale it."
    )


def inside(places: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Keep the samples of a trajectory (samples, 2) that lie in [-0.5, 0.5); on whole pixels, 0.5 is the same as -0.5.

    Returns
    -------
    The places that are kept, and which they are.
    """
    wrapped = np.where(places == np.float32(_EDGE), np.float32(-_EDGE), places)
    kept = ((wrapped >= -_EDGE) & (wrapped < _EDGE)).all(axis=1)
    return np.ascontiguousarray(wrapped[kept]), np.asarray(kept)
