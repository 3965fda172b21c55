"""Samples that are left out of a fit, so that it can be judged by how it predicts them.

Whole lines that are left out are hard to predict for anybody, and hide what matters. A sample that is left out of ONE
coil is there in all others: whoever has the right coils predicts it almost to the noise, and a wrong model cannot.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.recon.measurement import Measurement

FARTHEST = 0.5  # of the way from the middle of k-space to its border; farther out there is little signal to judge by
_INNERMOST = 8  # samples: the block in the middle that every coil start needs, and the radius around it
_FEWEST_LINES = 6  # below that, lines beyond the farthest are taken, too: fewer say more about themselves than the fit
_SEED = 0  # of the coil that each line is left out of; any other would do, and the same one gives the same choice


def leave_out(measurement: Measurement) -> Measurement:
    """Leave every measured line, readout or point outside the centre, within half of k-space, out of one coil."""
    coils, samples = measurement.coils, measurement.sampling.measured
    generator = np.random.default_rng(_SEED)
    out = np.zeros((coils, *samples.shape), dtype=bool)
    axis = line_axis(samples)
    if isinstance(measurement.sampling, Trajectory):
        # Samples beside each other on a readout tell of each other: whole ones are left out, as whole lines are.
        readouts = measurement.sampling.readouts
        turns = _turns(generator, coils, int(readouts.max()) + 1)
        out = (turns[readouts] == np.arange(coils)[:, None]) & _away(measurement.sampling)
    elif axis is None:
        places = _points_to_leave(samples)
        out.reshape(coils, -1)[generator.integers(0, coils, places.size), places] = True
    else:
        places = _lines_to_leave(samples[0] if axis else samples[:, 0], measurement.sampling.centre[axis])
        lines = np.moveaxis(out, 1 + axis, 1)
        for place, coil in zip(places, _turns(generator, coils, places.size), strict=True):
            lines[coil, place] = True
    return replace(measurement, left_out=torch.from_numpy(out & samples).to(measurement.kspace.device))


def line_axis(samples: NDArray[np.bool_]) -> int | None:
    """Axis along which whole lines are counted: 1 for a mask of columns, 0 for one of rows, ``None`` for points."""
    if samples.ndim < 2:
        return None
    for along in (0, 1):
        if bool((samples == samples.take([0], along)).all()):
            return 1 - along
    return None


def _turns(generator: np.random.Generator, coils: int, count: int) -> NDArray[np.intp]:
    """Give so many lines a coil each, in rounds in which every coil has its turn."""
    rounds = [generator.permutation(coils) for _ in range(-(-count // coils))]
    return np.concatenate([np.zeros(0, dtype=np.intp), *rounds])[:count]


def _away(trajectory: Trajectory) -> NDArray[np.bool_]:
    """Mark samples outside the centre that is measured completely, and within half of k-space."""
    inner = max(*trajectory.centre, 2 * _INNERMOST) / max(trajectory.shape)
    radius = trajectory.radius
    return np.asarray((radius > inner) & (radius <= max(FARTHEST, 2 * inner)))


def _points_to_leave(samples: NDArray[np.bool_]) -> NDArray[np.intp]:
    rows, columns = (np.arange(size) - size // 2 for size in samples.shape)
    share = np.hypot(rows[:, None] / (samples.shape[0] / 2), columns / (samples.shape[1] / 2))
    return np.flatnonzero(samples & (np.hypot(rows[:, None], columns) > _INNERMOST) & (share <= FARTHEST))


def _lines_to_leave(line: NDArray[np.bool_], centre: int) -> NDArray[np.intp]:
    places = np.flatnonzero(line)
    distance = np.abs(places - line.size // 2)
    outside = distance > max(centre, _INNERMOST) / 2
    near = outside & (distance <= FARTHEST * line.size / 2)
    return places[near if near.sum() >= _FEWEST_LINES else outside]
