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
        said.append(f"strongest side lobe {side_lobe(session.preview.point_spread):.0f} dB")
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


def side_lobe(point_spread: FloatImage) -> float:
    """Loudest side lobe of a point-spread function in decibels; the main lobe is what is nearer than two pixels."""
    rows, columns = point_spread.shape
    away = point_spread.copy()
    away[rows // 2 - 1 : rows // 2 + 2, columns // 2 - 1 : columns // 2 + 2] = -np.inf
    return float(away.max())


def spread(variance: NDArray[np.float32], mean: NDArray[np.float32]) -> float:
    """Give the standard deviation over chains in percent of the mean image, both averaged over the pixels."""
    return 100 * float(np.sqrt(variance).mean() / mean.mean())
