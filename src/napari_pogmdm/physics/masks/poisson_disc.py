"""Poisson-disc masks: points that keep a distance, which grows outwards (variable density)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.centre import central
from napari_pogmdm.physics.masks.mask import Samples
from napari_pogmdm.runtime.compiled import compiled

_MOST_DRAWS = 24  # until the acceleration is met; each halves the range of slopes, most masks need six
_NEAR = 0.01  # of the acceleration asked for; nearer than that is near enough
_LARGEST_MISS = 0.15  # of the acceleration asked for; a mask further off is refused, not passed off as what was asked
_INNERMOST = 0.8  # samples between neighbours beside the centre: about half of them are kept
_CLOSEST = 0.3  # samples; points that are so close lie on the same place of the grid, or nearly


def poisson_disc(shape: tuple[int, int], acceleration: float, centre_fraction: float, seed: int) -> Samples:
    """Draw a variable-density mask with a fully sampled centre.

    Grid points are visited in a random order and kept if they lie outside the discs of all kept points. Discs have a
    radius of 0.8 + slope r, where r is the distance from the centre in half-widths; the slope is bisected until the
    acceleration is met. For distances each point stands somewhere in its cell of the grid, by lot: measured between
    the middles of cells, distances are few, and the density would have steps.

    Parameters
    ----------
    shape
        Rows and columns.
    acceleration
        Grid points over sampled points to aim for.
    centre_fraction
        Share of rows and of columns that are sampled completely in the middle.
    seed
        Of the order and the places.
    """
    generator = np.random.default_rng(seed)
    order = generator.permutation(shape[0] * shape[1])
    places = generator.uniform(-0.5, 0.5, (*shape, 2)).astype(np.float32)
    centre = (
        central(shape[0], round(shape[0] * centre_fraction)),
        central(shape[1], round(shape[1] * centre_fraction)),
    )
    down, across = (np.abs(np.arange(size) - size // 2) / (size / 2) for size in shape)
    radius = np.hypot(down[:, None], across[None, :])
    low, high = -1.0, 2.0 * acceleration
    best: Samples | None = None
    for _ in range(_MOST_DRAWS):
        slope = (low + high) / 2
        samples = np.zeros(shape, dtype=np.bool_)
        samples[centre] = True
        _throw(order, places, np.maximum(_INNERMOST + slope * radius, _CLOSEST), samples)
        if best is None or _miss(samples, acceleration) < _miss(best, acceleration):
            best = samples
        if _miss(best, acceleration) < _NEAR * acceleration:
            break
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
def _throw(
    order: NDArray[np.int64], places: NDArray[np.float32], distance: NDArray[np.float64], samples: Samples
) -> None:
    """Keep the points of ``order`` that no disc covers yet; those kept already are not moved, and cover nothing."""
    rows, columns = samples.shape
    covered = samples.copy()
    for point in order:
        row, column = point // columns, point % columns
        if covered[row, column]:
            continue
        samples[row, column] = True
        reach = distance[row, column]
        steps = int(reach) + 1
        down, across = row + places[row, column, 0], column + places[row, column, 1]
        for y in range(max(0, row - steps), min(rows, row + steps + 1)):
            for x in range(max(0, column - steps), min(columns, column + steps + 1)):
                gap = (y + places[y, x, 0] - down) ** 2 + (x + places[y, x, 1] - across) ** 2
                if gap < reach * reach:
                    covered[y, x] = True
