"""One method on one case: its input, why it might not run, and how its image is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquisition import Acquisition, centre_crop
from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.evaluation.method_names import SamplerMethod
from napari_pogmdm.physics.espirit import NEEDS_SIGPY
from napari_pogmdm.recon.coils.null_space import full_coil_images, null_space_residual, relative_residual
from napari_pogmdm.recon.coils.support import can_calibrate
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.method import RIVALS, WITH_SIGPY, Method
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import Metrics, metrics
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.rivals.trained_on import TrainedOn


@dataclass(frozen=True)
class MethodChoice:
    """A method with its settings, as it is chosen to be compared.

    Attributes
    ----------
    label
        What to call it, for people.
    method
        A classical method, a rival, or "pogmdm".
    parameters
        How many numbers it has learned.
    model, settings
        Of pogmdm: what `load_prior` takes, and how it samples. Of a rival: its checkpoint, empty for the one that
        ships.
    trained_on
        What a rival was trained on.
    """

    label: str
    method: str
    parameters: int = 0
    model: str = ""
    settings: SamplerSettings | None = None
    trained_on: TrainedOn | None = None


CLASSICAL_CHOICES = (
    MethodChoice("zero-filled", "zero-filled"),
    MethodChoice("CG-SENSE", "cg-sense"),
    MethodChoice("TV", "tv"),
    MethodChoice("joint TV", "joint-tv"),
    MethodChoice("ESPIRiT + CG", "espirit-cg"),
    MethodChoice("l1-wavelet", "l1-wavelet"),
)

_ON_THE_GRID = (Method.VARNET, Method.JSENSE)


@dataclass(frozen=True, eq=False)
class Case:
    """A measurement that all methods are given, and what their images are judged by.

    Attributes
    ----------
    measurement
        All that a method may see.
    reference
        The fully sampled image, cropped, where there is one.
    coil_images
        (coils, rows, columns) of the complete scan in the virtual coils of the measurement, where it is complete.
    """

    measurement: Measurement
    reference: FloatImage | None
    coil_images: Tensor | None

    @classmethod
    def of(cls, acquisition: Acquisition | None, measurement: Measurement, reference: FloatImage | None) -> Case:
        """Make the case of a slice.

        Parameters
        ----------
        acquisition
            The slice; with all of its samples, and in the coils of the measurement, it also judges coil maps.
        measurement
            Of that slice.
        reference
            (rows, columns) of the fully sampled image, cropped, where there is one.
        """
        images = None
        whole = acquisition is not None and acquisition.mask is None and acquisition.trajectory is None
        if acquisition is not None and whole and not measurement.preparation.prewhiten:
            images = full_coil_images(acquisition, measurement)
        return cls(measurement, reference, images)


@dataclass(frozen=True, eq=False)
class CaseResult:
    """What a method made of a case.

    Attributes
    ----------
    image
        (rows, columns) magnitude, cropped, in the units of the file.
    metrics
        Against the reference, where there is one.
    seconds
        Of the method alone.
    coil_residual
        Norm of the coils' null-space residual relative to the coil images, where it has coils and the scan is complete.
    residual_map
        RSS of that residual, cropped.
    """

    image: FloatImage
    metrics: Metrics | None
    seconds: float
    coil_residual: float | None = None
    residual_map: FloatImage | None = None


def obstacle(choice: MethodChoice, measurement: Measurement | None) -> str:
    """Say why a method cannot run on a measurement, or on any; empty if it can."""
    if choice.method in _ON_THE_GRID and measurement is not None and not measurement.encoding.uniform:
        return "it works only on the grid, and this scan was measured along a trajectory"
    if choice.method in WITH_SIGPY and find_spec("sigpy") is None:
        return NEEDS_SIGPY
    if choice.method != Method.ESPIRIT_CG or measurement is None or can_calibrate(measurement):
        return ""
    if measurement.coils == 1:
        return "a single coil has no map to calibrate"
    rows, columns = measurement.sampling.centre
    return f"the fully sampled centre is {rows} × {columns}, too small to calibrate on"


def run_case(
    choice: MethodChoice,
    case: Case,
    seed: int,
    progress: Callable[[float], None],
    cancelled: Callable[[], bool],
) -> CaseResult:
    """Reconstruct and judge.

    Parameters
    ----------
    choice
        The method.
    case
        What it is given, and judged by.
    seed
        Of a sampler's noise.
    progress
        Told the share that is done, from 0 to 1.
    cancelled
        Asked between steps.

    Raises
    ------
    Cancelled
        If ``cancelled`` says so.
    InputError
        If the method cannot run, see `obstacle`.
    """
    reason = obstacle(choice, case.measurement)
    if reason:
        raise InputError(f"{choice.label}: {reason}.")

    def count(done: int, steps: int) -> None:
        progress(done / steps)

    try:
        found = _reconstruct(choice, case.measurement, seed, count, cancelled)
    except InputError:  # a sampler that is stopped before its first chain is done says that it has nothing to keep
        if not cancelled():
            raise
    if cancelled():
        raise Cancelled
    return _judged(found, case)


def _judged(found: Reconstruction, case: Case) -> CaseResult:
    scores = None if case.reference is None else metrics(case.reference, found.image)
    residual, residual_map = None, None
    if found.own_coils is not None and case.coil_images is not None:
        coils = torch.from_numpy(found.own_coils)
        residual = relative_residual(coils, case.coil_images)
        whole = null_space_residual(coils.to(case.coil_images), case.coil_images).cpu().numpy()
        residual_map = np.ascontiguousarray(centre_crop(whole, case.measurement.crop), dtype=np.float32)
    return CaseResult(found.image, scores, found.record.seconds, residual, residual_map)


def _reconstruct(
    choice: MethodChoice,
    measurement: Measurement,
    seed: int,
    progress: Callable[[int, int], None],
    cancelled: Callable[[], bool],
) -> Reconstruction:
    if choice.settings is not None:
        method = SamplerMethod(choice.settings, choice.model, 1, seed)
        return method.run(measurement, progress, cancelled)
    if choice.method in RIVALS:
        model = choice.model or None
        return reconstruct(measurement, choice.method, model=model, seed=seed, progress=progress, cancelled=cancelled)
    return reconstruct(measurement, choice.method, progress=progress, cancelled=cancelled)
