"""From the points of a trace to curves: what is drawn, and in which order; no Qt in here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.runs.status import TracePoint

Curve = NDArray[np.float64]
_ONE = 1e-3  # how far from 1 the RSS of coils may be to count as 1


@dataclass(frozen=True)
class Quantity:
    """Something that is drawn against the iteration.

    Attributes
    ----------
    key, title, meaning
        Name in code; heading with unit; one sentence.
    values
        Takes one number, or several, from a point: each is a curve.
    logarithmic
        Whether its axis is.
    least_range
        Of the axis (decades if logarithmic), so that nothing looks like something.
    largest
        Where the axis ends, as there can be nothing beyond.
    """

    key: str
    title: str
    meaning: str
    values: Callable[[TracePoint], tuple[float, ...]]
    logarithmic: bool = False
    least_range: float = 0.02  # dB, parts, or decades: less than the eye should take for a change
    largest: float | None = None


QUANTITIES = (
    Quantity("psnr", "PSNR / dB", "Peak signal-to-noise ratio; higher is better.", lambda point: (point.psnr,)),
    Quantity("ssim", "SSIM", "Structural similarity, up to 1.", lambda point: (point.ssim,), largest=1.0),
    Quantity(
        "nmse", "NMSE", "Normalised mean squared error; lower is better.", lambda point: (point.nmse,), logarithmic=True
    ),
    Quantity(
        "misfit",
        "residual",
        "|y - Ax| / |y|: what the image and the coils leave unexplained of the data; it ends near the share of noise.",
        lambda point: (point.misfit,),
        logarithmic=True,
    ),
    Quantity(
        "step_size",
        "corrector step",
        "ε = 2 r |ξ|² / |score|² with the step ratio r, mean of real and imaginary part.",
        lambda point: (point.step_size,),
        logarithmic=True,
    ),
    Quantity(
        "coil_range",
        "RSS(s)",
        "Smallest and largest root sum of squares of the coils.",
        lambda point: point.coil_range,
    ),
)
"""In the order in which they are drawn; the noise schedule stands before them."""


def curves_of(trace: Sequence[TracePoint], quantity: Quantity, substeps: int, chain: int) -> tuple[Curve, list[Curve]]:
    """Give iterations (with fractions for substeps) and the values of a chain; points without a value are left out.

    Parameters
    ----------
    trace
        Points of all chains.
    quantity
        What is drawn.
    substeps
        Of an iteration.
    chain
        Counted from 0.

    Returns
    -------
    (points,) iterations, and (points,) values for each curve of the quantity.
    """
    points = [point for point in trace if point.chain == chain]
    kept = [point for point in points if all(_drawable(value, quantity) for value in quantity.values(point))]
    iterations = np.array([moment_of(point, substeps) for point in kept])
    count = len(quantity.values(trace[0])) if trace else 1
    return iterations, [np.array([quantity.values(point)[index] for point in kept]) for index in range(count)]


def moment_of(point: TracePoint, substeps: int) -> float:
    """Place a point on the axis of iterations."""
    return point.iteration + point.substep / max(substeps, 1)


def chains_of(trace: Sequence[TracePoint]) -> list[int]:
    """List the chains that have points."""
    return sorted({point.chain for point in trace})


def levels_seen(trace: Sequence[TracePoint]) -> tuple[float, ...]:
    """Give the noise level of every iteration up to the last that has a point, those between points in even ratios."""
    known = {point.iteration: point.sigma for point in trace if point.sigma > 0}
    if not known:
        return ()
    iterations = np.array(sorted(known))
    logarithms = np.log([known[iteration] for iteration in iterations])
    return tuple(np.exp(np.interp(np.arange(iterations[-1] + 1), iterations, logarithms)).tolist())


def has_values(trace: Sequence[TracePoint], quantity: Quantity) -> bool:
    """Whether there is anything to draw of a quantity."""
    if quantity.key == "coil_range" and all(max(abs(1 - rss) for rss in point.coil_range) < _ONE for point in trace):
        return False  # coils of unit RSS, as all that are normalised: a line at 1 tells nothing
    return any(all(_drawable(value, quantity) for value in quantity.values(point)) for point in trace)


def nearest(iterations: Curve, where: float) -> int | None:
    """Find the point nearest to a place on the axis."""
    return int(np.argmin(np.abs(iterations - where))) if iterations.size else None


def _drawable(value: float, quantity: Quantity) -> bool:
    return math.isfinite(value) and (value > 0 or not quantity.logarithmic)
