"""Simulated scans to learn from: a slice, a smooth phase, coils, a mask and noise, each reproducible by its number."""

from __future__ import annotations

from collections.abc import Sequence
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
from napari_pogmdm.physics.fourier import to_kspace
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.training.rivals.settings import RivalSettings
from napari_pogmdm.training.volumes.preparation import smaller
from napari_pogmdm.training.volumes.slices import VolumeSlices

_DARK = 0.05  # mean intensity below which a part of a slice shows background rather than anatomy
_TRIES = 20  # parts that are drawn before one that is dark is taken
_LEAST_SHARE = 1e-3  # of the largest noise, below which less makes no difference; keeps its logarithm finite
_FACTORS = (0.6, 0.7, 0.8, 0.9)  # by which slices are made smaller: about the range of matrices for one anatomy
_SMALL = 32  # pixels: no rectangle of a slice that is smaller is scanned


@dataclass(frozen=True, eq=False)
class Example:
    """A simulated scan and its answer.

    Attributes
    ----------
    kspace
        (coils, rows, columns) complex64, zero where nothing was measured.
    mask
        (rows, columns) bool.
    target
        (rows, columns) magnitude without noise; the largest of a whole slice is 1.
    coils
        (coils, rows, columns) that it was scanned with.
    """

    kspace: Tensor
    mask: Tensor
    target: Tensor
    coils: Tensor


class ExampleSource:
    """Draws simulated scans of training slices, every volume equally often.

    The random generator of iteration i is seeded by (seed, i): nothing has to be remembered to resume exactly.

    Parameters
    ----------
    volumes
        Split slices; those to train on are used.
    settings
        Of the simulated scans.
    """

    def __init__(self, volumes: Sequence[VolumeSlices], settings: RivalSettings) -> None:
        self._settings = settings
        usable = [[image for image in volume.train if min(image.shape) >= _SMALL] for volume in volumes]
        self._volumes: list[list[FloatImage]] = [images for images in usable if images]
        if not self._volumes:
            raise InputError(f"No training slice is at least {_SMALL} x {_SMALL} pixels; give larger images.")

    def draw(self, iteration: int) -> Example:
        """Scan of one iteration."""
        rng = np.random.default_rng([self._settings.seed, iteration])
        images = self._volumes[rng.integers(len(self._volumes))]
        for _ in range(_TRIES):
            image = self._sized(images[rng.integers(len(images))], rng)
            height = min(self._settings.rows or len(image), len(image))
            top = int(rng.integers(len(image) - height + 1))
            if image[top : top + height].mean() > _DARK:
                break
        if rng.integers(2):
            image = image[:, ::-1]
        return simulate_example(image, self._settings, rng, slice(top, top + height))

    def _sized(self, image: FloatImage, rng: np.random.Generator) -> FloatImage:
        """Make a slice smaller that is too large, and others now and then."""
        factor = min(1.0, self._settings.size / max(image.shape))
        if rng.random() < self._settings.shrinking:
            factor *= float(rng.choice(_FACTORS))
        return (
            image if factor == 1 else smaller(image, (_even(image.shape[0] * factor), _even(image.shape[1] * factor)))
        )


def _even(extent: float) -> int:
    return max(_SMALL, 2 * round(extent / 2))


def simulate_example(
    image: FloatImage, settings: RivalSettings, rng: np.random.Generator, strip: slice = slice(None)
) -> Example:
    """Scan a magnitude image, or a strip of its rows.

    Columns alone are left out, so that every row of the image is seen as if it were alone: a strip costs less, and
    shows the same aliasing as the whole slice at its full width.

    Parameters
    ----------
    image
        (rows, columns), scaled to a largest value of 1.
    settings
        Which coils, noise and masks.
    rng
        Draws them.
    strip
        Rows that are scanned.
    """
    shape = (int(image.shape[0]), int(image.shape[1]))
    clean = (image / max(float(image.max()), float(np.finfo(np.float32).tiny)))[strip]
    complex_image = clean * np.exp(1j * smooth_phase(shape, rng)[strip])
    coils = _turned_coils(int(rng.integers(settings.fewest_coils, settings.most_coils + 1)), shape, rng, strip)
    low, high = np.log(max(settings.least_noise, _LEAST_SHARE * settings.most_noise)), np.log(settings.most_noise)
    noise = float(np.exp(rng.uniform(low, high)))
    mask = make_mask(
        "cartesian", clean.shape, settings.acceleration, settings.centre_fraction, seed=int(rng.integers(2**32))
    ).samples
    drawn = rng.normal(0, noise, (2, *coils.shape)).astype(np.float32)
    kspace = to_kspace(torch.from_numpy((coils * complex_image).astype(np.complex64)))
    kspace = (kspace + torch.complex(*torch.from_numpy(drawn))) * torch.from_numpy(mask)
    target = torch.from_numpy(np.ascontiguousarray(clean, dtype=np.float32))
    return Example(kspace, torch.from_numpy(mask), target, torch.from_numpy(coils))


def _turned_coils(count: int, shape: tuple[int, int], rng: np.random.Generator, strip: slice) -> NDArray[np.complex64]:
    """Coils on a ring that is mirrored at random, every second time mixed as compression to virtual coils mixes."""
    coils = _ring(count, shape)
    if rng.integers(2):
        coils = coils[:, ::-1]
    if rng.integers(2):
        coils = coils[..., ::-1]
    coils = coils[:, strip]
    if rng.integers(2):
        drawn = rng.normal(size=(count, count)) + 1j * rng.normal(size=(count, count))
        unitary, _ = np.linalg.qr(drawn)
        coils = np.tensordot(unitary, coils, axes=1)
    return np.ascontiguousarray(coils, dtype=np.complex64)


@lru_cache(maxsize=256)
def _ring(count: int, shape: tuple[int, int]) -> NDArray[np.complex64]:
    return simulated_coils(count, shape)
