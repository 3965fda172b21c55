"""Simulated scans to reconstruct while a prior learns: a slice, coils that are known, a mask and noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.phantom import smooth_phase
from napari_pogmdm.data.simulate import simulated_coils
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.names import MaskKind
from napari_pogmdm.physics.normal import image_normal
from napari_pogmdm.physics.sense import Sense, combine
from napari_pogmdm.training.volumes.groups import SliceGroups
from napari_pogmdm.training.volumes.preparation import smaller
from napari_pogmdm.training.volumes.slices import VolumeSlices, normalised

_KINDS = (MaskKind.CARTESIAN, MaskKind.RADIAL, MaskKind.GAUSSIAN)
_SHARES = (0.5, 0.25, 0.25)  # of the kinds: lines are what most scanners leave out
# Smallest and largest of each kind, around those of the usual tables: 4, 11 and 8.
_ACCELERATIONS = {MaskKind.CARTESIAN: (3.0, 5.0), MaskKind.RADIAL: (6.0, 12.0), MaskKind.GAUSSIAN: (5.0, 9.0)}
_CENTRES = (0.04, 0.08)  # shares of central lines, as in the paper
_NOISE = (0.003, 0.02)  # smallest and largest standard deviation of a real component, where the brightest tissue is 1
_COILS = (4, 8)  # fewest and most: more are compressed to about as many

# Lines alone decouple what lies along them: a strip of an image shows the same aliasing as the whole at its full width,
# and costs less. So most scans with lines are strips at full resolution, and all others whole slices of fewer pixels.
_STRIPS = 0.6  # share of the scans with lines
_ROWS = 56  # of a strip
_LEAST_SIDE = _ROWS + 8  # pixels; smaller slices are left out, and none is made smaller than that
EDGE = 6  # rows at either end of a strip that are not judged, as filters reach beyond it
_STRIP_FACTORS = (0.6, 0.8, 1.0, 1.0)  # by which the slice is made smaller first
_SIDES = (96, 128, 160, 192)  # longest side of a whole slice, in pixels
_SIDE_SHARES = (0.25, 0.35, 0.25, 0.15)

_KEPT_PHASE = 0.3  # at most, of the phase, stays in the image: joint reconstructions put nearly all of it into coils
_DARK = 0.04  # mean intensity below which a slice or strip shows background rather than anatomy
_TRIES = 20  # slices or strips that are drawn before one that is dark is taken
_DRAWS = 17  # tells this generator from those that draw patches with the same seed


@dataclass(frozen=True, eq=False)
class SimulatedScan:
    """A measurement with known coils, in the units of a reconstruction, and the image that it is of.

    Attributes
    ----------
    image
        Complex (rows, columns).
    coils
        (coils, rows, columns), with a root sum of squares of 1.
    combined
        A^H y, (rows, columns).
    noise
        Standard deviation of a real component.
    sense
        A.
    edge
        Rows at either end that are not judged.
    """

    image: Tensor
    coils: Tensor
    combined: Tensor
    noise: float
    sense: Sense
    edge: int

    def normal(self, image: Tensor) -> Tensor:
        """Apply A^H A."""
        return image_normal(self.sense, image[None, None], self.coils[None, None])[0, 0]


class ScanSource:
    """Draws simulated scans of training slices, every group equally often, and every volume within a group.

    The random generator of a scan is seeded by seed, iteration and its number: nothing has to be remembered to resume.

    Parameters
    ----------
    volumes
        Split slices; those to train on are used.
    seed
        Of everything random.
    """

    def __init__(self, volumes: Sequence[VolumeSlices], seed: int) -> None:
        self._seed = seed
        self._slices = SliceGroups(volumes, _LEAST_SIDE)
        if not self._slices:
            raise InputError(f"No training slice is at least {_LEAST_SIDE} x {_LEAST_SIDE} pixels; give larger images.")

    def draw(self, iteration: int, number: int) -> SimulatedScan:
        """Scan of one iteration."""
        rng = np.random.default_rng([self._seed, _DRAWS, iteration, number])
        image = _bright(lambda: self._slices.draw(rng))
        image = np.rot90(image, int(rng.integers(4)))
        image = image[:, ::-1] if rng.integers(2) else image
        kind = _KINDS[int(rng.choice(len(_KINDS), p=_SHARES))]
        strip = kind == MaskKind.CARTESIAN and rng.random() < _STRIPS
        if strip:
            factor = float(rng.choice(_STRIP_FACTORS))
        else:
            factor = min(1.0, float(rng.choice(_SIDES, p=_SIDE_SHARES)) / max(image.shape))
        if factor < 1:
            rows, columns = (max(2 * round(extent * factor / 2), _LEAST_SIDE) for extent in image.shape)
            image = normalised(smaller(image, (rows, columns)))
        return _scanned(np.ascontiguousarray(image), kind, strip, rng)


def _bright(draw: Callable[[], FloatImage]) -> FloatImage:
    """Draw until something is not dark."""
    found = draw()
    for _ in range(_TRIES):
        if found.mean() > _DARK:
            break
        found = draw()
    return found


def _scanned(image: FloatImage, kind: MaskKind, strip: bool, rng: np.random.Generator) -> SimulatedScan:
    """Scan a magnitude image, or a strip of its rows."""
    shape = (int(image.shape[0]), int(image.shape[1]))
    coils = _ring(int(rng.integers(_COILS[0], _COILS[1] + 1)), shape)
    coils = coils[:, ::-1] if rng.integers(2) else coils
    coils = coils[..., ::-1] if rng.integers(2) else coils
    phase = smooth_phase(shape, rng)
    kept = _KEPT_PHASE * rng.random()
    mask = make_mask(
        kind, shape, rng.uniform(*_ACCELERATIONS[kind]), float(rng.choice(_CENTRES)), int(rng.integers(2**32))
    ).samples
    noise = float(np.exp(rng.uniform(*np.log(_NOISE))))
    if strip:
        first = 0
        for _ in range(_TRIES):
            first = int(rng.integers(shape[0] - _ROWS + 1))
            if image[first : first + _ROWS].mean() > _DARK:
                break
        rows = slice(first, first + _ROWS)
        image, phase, coils, mask = image[rows], phase[rows], coils[:, rows], mask[rows]
    drawn = rng.normal(0, noise, (2, *coils.shape)).astype(np.float32)
    clean = torch.from_numpy((image * np.exp(1j * kept * phase)).astype(np.complex64))
    maps = torch.from_numpy((coils * np.exp(1j * (1 - kept) * phase)).astype(np.complex64))
    sense = Sense(torch.from_numpy(np.ascontiguousarray(mask)))
    seen = sense.resample(maps * clean + torch.complex(*torch.from_numpy(drawn)))
    scale = float(root_sum_of_squares(seen).max())
    combined = combine(seen, maps) / scale
    return SimulatedScan(clean / scale, maps, combined, noise / scale, sense, EDGE if strip else 0)


@lru_cache(maxsize=256)
def _ring(count: int, shape: tuple[int, int]) -> NDArray[np.complex64]:
    return simulated_coils(count, shape)
