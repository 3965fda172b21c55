"""Kinds of trajectories, and `make_trajectory`, which makes one by name: radial, golden-angle radial, spiral."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.trajectories.names import DEFAULT_READOUTS, MOST_READOUTS, TrajectoryKind
from napari_pogmdm.physics.trajectories.trajectory import Trajectory

_GOLDEN = math.pi * (math.sqrt(5) - 1) / 2  # radians, 111.25 degrees: any number of spokes is spread almost evenly
_FINEST = 8  # samples a grid step along a readout; scanners take two
_USUAL_ARMS = 16  # with which the middle of a spiral is complete; fewer leave out more everywhere
_DENSE = 1 / 8  # of the radius: the middle of a spiral, wide enough to calibrate coils on
_WIDEST = 5.0  # grid steps between turns at the border of a spiral of 16 arms, about a third of all samples in the end
_FINE = 100  # points a grid step of radius at which an arm is computed before samples are spread evenly on it
_LARGEST = 0.4999999  # cycles per pixel, just below half a cycle, which is outside
_SMALLEST = 8  # rows and columns; below that there is no image to speak of


def make_trajectory(
    kind: str, shape: tuple[int, int], readouts: int | None = None, *, oversampling: float = 1.0
) -> Trajectory:
    """Make a trajectory of the given kind.

    Parameters
    ----------
    kind
        One of `TrajectoryKind`: "radial" spokes at even angles, "golden-radial" ones that follow each other at 111.25
        degrees, or "spiral".
    shape
        Rows and columns of the image.
    readouts
        How many spokes, or arms of the spiral; by default 64 and 16.
    oversampling
        Samples along a readout for each step of the grid; 1 is what the field of view needs.
    """
    if kind not in {*TrajectoryKind}:
        raise InputError(f"trajectory: unknown kind {kind!r}; choose from {', '.join(TrajectoryKind)}, or give a file.")
    if min(shape) < _SMALLEST:
        raise InputError(f"shape: {shape[0]} x {shape[1]} is too small for a trajectory.")
    count = DEFAULT_READOUTS[TrajectoryKind(kind)] if readouts is None else readouts
    if not 1 <= count <= MOST_READOUTS:
        raise InputError(f"spokes: {count} is not a number from 1 to {MOST_READOUTS}.")
    if not 1 <= oversampling <= _FINEST:
        raise InputError(f"oversampling: {oversampling:g} is not a number from 1 to {_FINEST}.")
    if kind == TrajectoryKind.SPIRAL:
        places = _spiral(shape, count, oversampling)
    else:
        step = math.pi / count if kind == TrajectoryKind.RADIAL else _GOLDEN
        places = _spokes(np.arange(count) * step, round(max(shape) * oversampling))
    return Trajectory(places, shape, str(kind), count, float(oversampling))


def _spokes(angles: NDArray[np.floating], samples: int) -> NDArray[np.float32]:
    """Lines through the centre, one sample of each in the very middle, from -0.5 up to below 0.5."""
    along = (np.arange(samples) - samples // 2) / samples
    directions = np.stack((np.sin(angles), np.cos(angles)), axis=-1)
    return (directions[:, None, :] * along[:, None]).reshape(-1, 2).astype(np.float32)


def _spiral(shape: tuple[int, int], arms: int, oversampling: float) -> NDArray[np.float32]:
    """Arms from the centre to the border at even angles, with samples evenly along them (variable-density spiral).

    With 16 arms, neighbouring turns are one grid step apart in the middle, and grow apart to five at the border.
    """
    border = max(shape) / 2  # of k-space, in steps of the grid
    inner = border * _DENSE
    radius = np.linspace(0, border, round(_FINE * border))
    beyond = np.maximum(radius - inner, 0) / (border - inner)
    apart = _WIDEST - 1
    turns = (np.minimum(radius, inner) + (border - inner) / apart * np.log1p(apart * beyond)) / _USUAL_ARMS
    way = np.hypot(np.gradient(radius), 2 * np.pi * radius * np.gradient(turns)).cumsum()
    even = np.arange(0, way[-1], 1 / oversampling)
    out, angle = 0.5 * np.interp(even, way, radius) / border, 2 * np.pi * np.interp(even, way, turns)
    turned = angle + 2 * np.pi * np.arange(arms)[:, None] / arms
    places = np.stack((out * np.sin(turned), out * np.cos(turned)), axis=-1)
    return np.minimum(places.reshape(-1, 2), _LARGEST).astype(np.float32)
