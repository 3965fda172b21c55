"""Poisson-disc masks: points that keep their distance, the more the further out they lie (variable density)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.centre import central
from napari_pogmdm.physics.masks.mask import Samples
from napari_pogmdm.runtime.compiled import compiled

_BISECTIONS = 20  # the slope is then known to a millionth of its range; each draws the whole mask once
_LARGEST_MISS = 0.15  # of the acceleration asked for; a mask further off is refused, not passed off as what was asked
_CLOSEST = 0.5  # samples; up to 1, all points of the grid are kept, so this only keeps distances positive


def poisson_disc(shape: tuple[int, int], acceleration: float, centre_fraction: float, seed: int) -> Samples:
    """Draw a variable-density mask with a fully sampled centre.

    Grid points are visited in a random order and kept if no kept point lies closer than 1 + slope r, where r is the
    distance from the centre in half-widths; the slope is bisected until the acceleration is met.
    """
    order = np.random.default_rng(seed).permutation(shape[0] * shape[1])
    centre = (
        central(shape[0], round(shape[0] * centre_fraction)),
        central(shape[1], round(shape[1] * centre_fraction)),
    )
    down, across = (np.abs(np.arange(size) - size // 2) / (size / 2) for size in shape)
    radius = np.hypot(down[:, None], across[None, :])
    low, high = -1.0, float(max(shape))
    best: Samples | None = None
    for _ in range(_BISECTIONS):
        slope = (low + high) / 2
        samples = np.zeros(shape, dtype=np.bool_)
        samples[centre] = True
        _throw(order, np.maximum(1 + slope * radius, _CLOSEST), samples)
        if best is None or _miss(samples, acceleration) < _miss(best, acceleration):
            best = samples
        low, high = (slope, high) if samples.size / samples.sum() < acceleration else (low, slope)
    if best is None or _miss(best, acceleration) > _LARGEST_MISS * acceleration:
        raise InputError(
            f"acceleration: a Poisson-disc mask of {acceleration:g}x does not fit {shape[0]} x {shape[1]} with "
            f"{100 * centre_fraction:g} % centre; try another one."
        )
    return best


def _miss(samples: Samples, acceleration: float) -> float:
    return abs(samples.size / int(samples.sum()) - acceleration)


@compiled()
def _throw(order: NDArray[np.int64], distance: NDArray[np.float64], samples: Samples) -> None:
    """Keep the points of ``order`` that stay clear of all kept ones; those kept already only count as neighbours.

    Neighbours are sought on the grid, or among all kept points where these are fewer.
    """
    rows, columns = samples.shape
    kept = np.empty((samples.size, 2), dtype=np.int64)
    count = 0
    for y in range(rows):
        for x in range(columns):
            if samples[y, x]:
                kept[count] = y, x
                count += 1
    for point in order:
        row, column = point // columns, point % columns
        if samples[row, column]:
            continue
        reach = distance[row, column]
        steps = int(reach)
        free = True
        if (2 * steps + 1) ** 2 > count:
            for other in range(count):
                if (kept[other, 0] - row) ** 2 + (kept[other, 1] - column) ** 2 < reach * reach:
                    free = False
                    break
        else:
            for y in range(max(0, row - steps), min(rows, row + steps + 1)):
                for x in range(max(0, column - steps), min(columns, column + steps + 1)):
                    if samples[y, x] and (y - row) ** 2 + (x - column) ** 2 < reach * reach:
                        free = False
                        break
                if not free:
                    break
        if free:
            samples[row, column] = True
            kept[count] = row, column
            count += 1
