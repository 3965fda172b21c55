"""Masks that are not whole lines: radial, spiral and two-dimensional Gaussian."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.mask import Samples

Shape = tuple[int, int]

_GOLDEN_ANGLE = np.pi * (np.sqrt(5) - 1) / 2  # pi over the golden ratio, 111.2 degrees
_SPIRAL_POWER = 1.5  # of the paper's single-coil masks; above 1, the centre is sampled more densely than the rim
_POINTS_PER_TURN = 500  # along the arm at 320 x 320, as in the paper's masks; with fewer, the outer turns have gaps
_VARIANCE = 2 / 128  # of a coordinate, over the axis' length times the shorter axis, as in the paper's masks: 40 at 320
_DRAWS = 2000  # refills before giving up; low accelerations would have to fill corners that are hardly ever hit


def radial(shape: Shape, spokes: int, golden: bool = False) -> Samples:
    """Thin lines through the centre at ``spokes`` angles, from border to border of the rectangle.

    Parameters
    ----------
    shape
        Rows and columns.
    spokes
        Number of lines.
    golden
        Turn each line by the golden angle, 111.2 degrees, from the one before, instead of spacing them evenly: any
        number of successive lines is then spread nearly evenly, so that frames can be cut as one likes.
    """
    samples = np.zeros(shape, dtype=bool)
    centre = np.array([size // 2 for size in shape])
    for angle in np.arange(spokes) * (_GOLDEN_ANGLE if golden else np.pi / spokes):
        direction = np.array([np.sin(angle), np.cos(angle)])
        along = int(np.argmax(np.abs(direction)))
        steps = np.arange(shape[along]) - centre[along]
        across = np.rint(centre[1 - along] + steps * direction[1 - along] / direction[along]).astype(int)
        inside = (across >= 0) & (across < shape[1 - along])
        points = (np.arange(shape[along])[inside], across[inside])
        samples[points if along == 0 else points[::-1]] = True
    return samples


def spiral(shape: Shape, turns: int) -> Samples:
    """One arm whose radius grows as the power 1.5 of its length, rounded to the grid.

    At 320 x 320 with 80 turns this is the paper's mask of acceleration 5.
    """
    power = _SPIRAL_POWER
    points = round(_POINTS_PER_TURN * turns * np.sqrt(shape[0] * shape[1]) / 320)
    radius = np.linspace(0, np.sqrt(2) * np.pi ** (1 / power), points) ** power
    angle = np.linspace(0, 2 * np.pi * turns, points)
    samples = np.zeros(shape, dtype=bool)
    down, across = radius * np.sin(angle), radius * np.cos(angle)
    inside = (np.abs(down) <= np.pi) & (np.abs(across) <= np.pi)
    index = [
        np.clip(np.rint((position[inside] / np.pi + 1) / 2 * (size - 1)), 0, size - 1).astype(int)
        for position, size in zip((down, across), shape, strict=True)
    ]
    samples[index[0], index[1]] = True
    return samples


def gaussian(shape: Shape, acceleration: float, seed: int) -> Samples:
    """Points drawn from a normal density around the centre until the acceleration is reached."""
    generator = np.random.default_rng(seed)
    spread = [np.sqrt(size * min(shape) * _VARIANCE) for size in shape]
    samples = np.zeros(shape, dtype=bool)
    wanted = int(np.ceil(samples.size / acceleration))
    for _ in range(_DRAWS):
        missing = wanted - int(samples.sum())
        if missing <= 0:
            return samples
        drawn = [generator.normal(size / 2, width, missing) for size, width in zip(shape, spread, strict=True)]
        index = [np.clip(values.astype(int), 0, size - 1) for values, size in zip(drawn, shape, strict=True)]
        samples[index[0], index[1]] = True
    raise InputError(f"acceleration: {acceleration:g} is too low for a Gaussian mask; ask for 2.5 or more.")


def closest(make: Callable[[int], Samples], acceleration: float, most: int) -> Samples:
    """Find the whole number from 1 to ``most`` (of spokes, of turns) whose mask comes closest to the acceleration."""
    low, high = 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _acceleration(make(middle)) > acceleration else (low, middle)
    return min((make(low), make(high)), key=lambda samples: abs(_acceleration(samples) - acceleration))


def _acceleration(samples: Samples) -> float:
    return samples.size / int(samples.sum())
