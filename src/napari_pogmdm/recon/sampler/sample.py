"""From a measurement to an image by sampling a learned prior: one chain or several."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.data.acquisition import centre_crop
from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.recon.coils.given import CoilMaps
from napari_pogmdm.recon.coils.start import chosen_start
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.noise_floor import with_noise_floor
from napari_pogmdm.recon.record import record_run
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.changes import Change
from napari_pogmdm.recon.sampler.ensemble import Moments, parameter_hash, run_ensemble
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.stepper import Cancelled, Progress


def sample(
    measurement: Measurement,
    prior: Prior,
    settings: SamplerSettings,
    *,
    chains: int = 1,
    seed: int = 0,
    changes: Sequence[Change] = (),
    maps: CoilMaps | None = None,
    stop_after: int | None = None,
    store: Path | None = None,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Reconstruction:
    """Reconstruct with a learned prior; the same seed on the same device gives the same bits.

    Parameters
    ----------
    chains
        How many chains to average; from two on, the result has a variance.
    changes
        Settings to change on the way, as an earlier run's record has them.
    maps
        Known coils, to start from or, with ``update_coils`` off, to keep.
    stop_after
        Leave every chain after this many iterations.
    store
        File from which an interrupted ensemble goes on (see `run_ensemble`).
    """
    begun = time.perf_counter()
    ensemble = run_ensemble(
        measurement,
        prior,
        settings,
        chains,
        seed=seed,
        changes=changes,
        maps=maps,
        stop_after=stop_after,
        store=store,
        progress=progress,
        cancelled=cancelled,
    )
    return finish(
        measurement,
        prior,
        settings,
        ensemble.moments,
        ensemble.coils,
        seed=seed,
        steps=stop_after or len(settings.levels()) - 1,
        stopped=ensemble.stopped,
        seconds=time.perf_counter() - begun,
        changes=changes,
        maps=maps,
    )


def finish(
    measurement: Measurement,
    prior: Prior,
    settings: SamplerSettings,
    moments: Moments,
    coils: Tensor | None,
    *,
    seed: int,
    steps: int,
    stopped: bool,
    seconds: float,
    changes: Sequence[Change] = (),
    maps: CoilMaps | None = None,
) -> Reconstruction:
    """Make the result of chains that somebody else has stepped: noise floor, units of the file, crop and record.

    Parameters
    ----------
    settings
        As they were when the first chain began.
    moments
        Of the finished chains' magnitudes, with the noise that each has found (`Sampler.found_noise`).
    coils
        (coils, rows, columns) of the first chain.
    seed
        Of the first chain.
    steps
        Iterations of one chain.
    stopped
        Whether fewer chains than wanted, or iterations than planned, were run.
    changes
        All that were made on the way.
    maps
        Coils that were given.
    """
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
        coils=None if coils is None else coils.cpu().numpy().astype(np.complex64),
        record=record_run(
            measurement,
            "pogmdm",
            settings.to_dict(),
            steps,
            stopped=stopped,
            seconds=seconds,
            changes=[change.to_dict() for change in changes],
            sampler={
                "model": prior.information.get("source", prior.name),
                "model_sha256": parameter_hash(prior),
                "seed": seed,
                "chains": moments.count,
                "coil_start": chosen_start(measurement, settings.coil_start) if maps is None else "given",
                **({} if maps is None else {"coil_maps": maps.file, "coil_maps_sha256": maps.sha256}),
            },
        ),
        variance=np.ascontiguousarray(variance, dtype=np.float32) if moments.count > 1 else None,
    )
