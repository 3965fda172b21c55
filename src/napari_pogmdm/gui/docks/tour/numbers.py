"""The numbers that lessons mention, as they are now."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.gui.core.session import Session

_MANY = 10  # times the data


def lesson_numbers(session: Session, sampling: bool = True) -> list[str]:
    """Say where mask, zero-filled image and run stand, in a few short phrases.

    Parameters
    ----------
    session
        Where the numbers are found.
    sampling
        Whether what is seen is about the mask; otherwise its numbers would only distract.
    """
    said = []
    point = session.trace[-1] if session.trace else None
    sampling = sampling and session.recording is None
    if sampling and session.mask is not None:
        said.append(f"{100 / session.mask.acceleration:.0f} % of k-space measured")
    if sampling and session.preview is not None and session.reference is not None and point is None:
        said.append(f"aliasing {100 * aliasing(session.preview.zero_filled, session.reference):.1f} %")
        said.append(f"strongest side lobe {side_lobe(session.preview.point_spread)[1]:.0f} dB")
    if point is not None:
        said.append(f"iteration {point.iteration}, sigma {point.sigma:.3g}")
        if math.isfinite(point.psnr):
            said.append(f"PSNR {point.psnr:.1f} dB")
        if math.isfinite(point.misfit):
            said.append(f"residual {residual_text(point.misfit)}")
    if session.result is not None and session.result.variance is not None:
        said.append(f"standard deviation {spread(session.result.variance, session.result.image):.2f} % of the mean")
    return said


def residual_text(misfit: float) -> str:
    """Write what is left of the data, in percent, or in multiples where percents would be thousands."""
    return f"{100 * misfit:.2f} %" if misfit < _MANY else f"{misfit:.0f} times the data"


def aliasing(zero_filled: FloatImage, reference: FloatImage) -> float:
    """Energy of what differs from the full image, as a share of the full image's."""
    return float(np.square(zero_filled - reference).sum() / np.square(reference).sum())


def side_lobe(point_spread: FloatImage) -> tuple[tuple[int, int], float]:
    """Find the strongest side lobe of a point spread: rows and columns from the bright pixel, and decibels.

    The main lobe reaches along each axis to where the strongest pixel stops falling; it is wider where few samples lie
    at the rim of k-space, and a flank of it is no aliasing.
    """
    middle = tuple(size // 2 for size in point_spread.shape)
    reach = [_falling(point_spread.max(axis=1 - axis), middle[axis]) for axis in (0, 1)]
    away = point_spread.copy()
    away[tuple(slice(max(at - far, 0), at + far + 1) for at, far in zip(middle, reach, strict=True))] = -np.inf
    row, column = np.unravel_index(int(np.argmax(away)), away.shape)
    return (int(row) - middle[0], int(column) - middle[1]), float(away[row, column])


def _falling(profile: FloatImage, middle: int) -> int:
    """Count the pixels after the middle over which a profile falls, at least one."""
    falls = np.diff(profile[middle + 1 :]) < 0
    return 1 + (int(np.argmin(falls)) if not falls.all() else falls.size)


def spread(variance: NDArray[np.float32], mean: NDArray[np.float32]) -> float:
    """Give the standard deviation over chains in percent of the mean image, both averaged over the pixels."""
    return 100 * float(np.sqrt(variance).mean() / mean.mean())
