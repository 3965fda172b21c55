"""A stepper run to its end, and what becomes of its estimate: a reconstruction with coils, noise floor and record."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch

from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.data_term import DataTerm
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.noise_floor import residual_noise
from napari_pogmdm.recon.record import record_run
from napari_pogmdm.recon.result import Reconstruction, finish
from napari_pogmdm.recon.stepper import CancelCheck, Estimate, Progress, Stepper, run


def run_stepper(
    measurement: Measurement,
    method: str,
    stepper: Stepper[Any],
    *,
    sampler: dict[str, Any] | None = None,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
    begun: float | None = None,
) -> Reconstruction:
    """Run a method to its end, or until ``cancelled()`` returns true.

    Parameters
    ----------
    measurement
        To reconstruct from.
    method
        Its name, for the record.
    stepper
        The method, bound to the measurement; its ``settings``, where it has them, go into the record.
    sampler
        What else the record should say, such as the model.
    progress
        Called with the steps done and the steps in all.
    cancelled
        Asked before every step.
    begun
        When the method was called, by ``time.perf_counter``; by default now.
    """
    begun = time.perf_counter() if begun is None else begun
    state, steps = run(stepper, progress, cancelled)
    estimate = stepper.estimate(state)
    used = getattr(stepper, "settings", None)
    record = record_run(
        measurement,
        method,
        {} if used is None else used.to_dict(),
        steps,
        stopped=steps < stepper.steps,
        seconds=time.perf_counter() - begun,
        sampler=sampler,
    )
    magnitude = estimate.magnitude.cpu().numpy()
    noise = _found_noise(measurement, estimate) if measurement.noise_floor and np.isfinite(magnitude).all() else None
    image, coils = estimate.complex_image, estimate.coils
    if coils is None:  # a result has both, so that it can be worked on elsewhere
        coils = starting_coils(measurement)
        image = torch.polar(estimate.magnitude, (measurement.first_images * coils.conj()).sum(dim=0).angle())
    return finish(measurement, magnitude, record, noise=noise, image=image, coils=coils)


def _found_noise(measurement: Measurement, estimate: Estimate) -> float | None:
    """Noise that an estimate leaves in the data; ``None`` where the method has no coils, so its image has its noise."""
    if estimate.coils is None:
        return None
    residual = measurement.encoding.whitened(DataTerm(measurement).residual(estimate.image, estimate.coils))
    return float(residual_noise(residual[None], estimate.magnitude[None], measurement.noisy_acceleration)[0])
