"""Uncertainty: mean and standard deviation over chains, for masks of several accelerations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.coverage import OBJECT, Errors
from napari_pogmdm.evaluation.method_names import SamplerMethod
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.defaults import DEFAULT_COILS
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.sampler.calibration import spread_in_words
from napari_pogmdm.recon.stepper import Progress
from napari_pogmdm.runtime.pool.pool import Pool


@dataclass(frozen=True, eq=False)
class Spread:
    """Mean and standard deviation over chains for one mask, in units of the reference's maximum.

    Attributes
    ----------
    mask
        What was sampled.
    mean, deviation
        Over chains, (rows, columns); the standard deviation is the calibrated one where there is a calibration.
    inside
        Mean standard deviation inside the object.
    error
        Root-mean-square error of the mean there.
    errors
        Of every pixel of the object, beside the spread of the chains.
    factor
        Of the calibration; 1 where there is none.
    words
        What the standard deviation is.
    """

    mask: Mask
    mean: NDArray[np.float32]
    deviation: NDArray[np.float32]
    inside: float
    error: float
    errors: Errors
    factor: float
    words: str


def spreads(
    acquisition: Acquisition,
    masks: Sequence[Mask],
    method: SamplerMethod,
    *,
    coils: int | None = DEFAULT_COILS,
    device: str = "cpu",
    progress: Progress | None = None,
    pool: Pool | None = None,
) -> Iterator[Spread]:
    """Run the chains of a method for each mask.

    Parameters
    ----------
    acquisition
        A complete scan of one slice.
    masks
        One `Spread` is made for each.
    method
        With its chains, two or more, and their seed.
    coils
        Virtual coils to compress to, as `virtual_coils` reads them.
    device
        Where to compute.
    progress
        Called with the steps done and the steps in all, of each mask.
    pool
        Where chains run side by side; here if ``None``.
    """
    if method.chains < 2:
        raise InputError(f"chains: {method.chains} have no spread; give 2 or more.")
    reference = reference_image(acquisition)
    if reference is None:
        raise InputError(f"{acquisition.source}: has no full scan to tell the object from the background.")
    peak = float(reference.max())
    body = reference > OBJECT * peak
    for mask in masks:
        measurement = undersample(acquisition, mask, coils=coils, device=device)
        result = method.run(measurement, progress, pool=pool)
        errors = Errors.of(result, reference, measurement, acquisition.source, mask.describe())
        shown = result.spread if result.std is None else result.std
        assert shown is not None
        deviation, known = shown / np.float32(peak), result.record.sampler.get("calibration", {})
        yield Spread(
            mask,
            result.image / np.float32(peak),
            deviation,
            float(deviation[body].mean()),
            float(np.sqrt((errors.error**2).mean())),
            errors,
            float(known.get("factor", 1.0)),
            known.get("words") or spread_in_words(method.settings, result.record.sampler["model_sha256"]),
        )
