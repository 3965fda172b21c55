"""From a measurement to an image by sampling a learned prior: one chain or several."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import centre_crop
from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.recon.coil_start import chosen_start
from napari_pogmdm.recon.ensemble import parameter_hash, run_ensemble
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.noise_floor import with_noise_floor
from napari_pogmdm.recon.reconstruct import Reconstruction
from napari_pogmdm.recon.record import record_run
from napari_pogmdm.recon.settings import SamplerSettings
from napari_pogmdm.recon.stepper import Cancelled, Progress


def sample(
    measurement: Measurement,
    prior: Prior,
    settings: SamplerSettings,
    *,
    chains: int = 1,
    seed: int = 0,
    store: Path | None = None,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Reconstruction:
    """Reconstruct with a learned prior; the same seed on the same device gives the same bits.

    Parameters
    ----------
    chains
        How many chains to average; from two on, the result has a variance.
    store
        File from which an interrupted ensemble goes on (see `run_ensemble`).
    """
    begun = time.perf_counter()
    ensemble = run_ensemble(
        measurement, prior, settings, chains, seed=seed, store=store, progress=progress, cancelled=cancelled
    )
    moments = ensemble.moments
    if moments.count == 0:
        raise InputError("sampler: it was cancelled before the first chain had finished, so there is nothing to keep.")
    if not np.isfinite(moments.mean).all():
        raise InputError("sampler: the result is not finite; lower corrector_ratio, data_step or coil_step.")
    mean: NDArray[np.floating] = moments.mean
    if measurement.noise_floor:
        mean = with_noise_floor(mean, moments.noise, measurement.physical_coils)
    image = centre_crop(mean * measurement.scale, measurement.crop)
    variance = centre_crop(moments.variance * measurement.scale**2, measurement.crop)
    return Reconstruction(
        image=np.ascontiguousarray(image, dtype=np.float32),
        coils=None if ensemble.coils is None else ensemble.coils.cpu().numpy().astype(np.complex64),
        record=record_run(
            measurement,
            "pogmdm",
            settings.to_dict(),
            len(settings.levels()) - 1,
            stopped=ensemble.stopped,
            seconds=time.perf_counter() - begun,
            sampler={
                "model": prior.name,
                "model_sha256": parameter_hash(prior),
                "seed": seed,
                "chains": moments.count,
                "coil_start": chosen_start(measurement, settings.coil_start),
            },
        ),
        variance=np.ascontiguousarray(variance, dtype=np.float32) if moments.count > 1 else None,
    )
