"""From the chains of a run to its result."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from napari_pogmdm import errors
from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.weights import parameter_hash
from napari_pogmdm.recon.coils.start import chosen_start
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.record import RunRecord, record_run
from napari_pogmdm.recon.result import Reconstruction, finish
from napari_pogmdm.recon.sampler.algorithms.by_name import noise_schedule
from napari_pogmdm.recon.sampler.calibration import calibration_for, withdrawn
from napari_pogmdm.recon.sampler.chains import FinishedChains
from napari_pogmdm.recon.sampler.changes import Change
from napari_pogmdm.recon.sampler.choices.choose import settled
from napari_pogmdm.recon.sampler.ensemble import run_ensemble
from napari_pogmdm.recon.sampler.moments import Moments
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.spread import Ratios, spread_of_mean
from napari_pogmdm.recon.stepper import CancelCheck, Progress
from napari_pogmdm.runtime.pool.pool import Pool
from napari_pogmdm.runtime.threads import fixed_blocks

_NOTHING = "sampler: it was cancelled before the first chain had finished, so there is nothing to keep."


@fixed_blocks()
def sample(
    request: RunRequest,
    *,
    store: Path | None = None,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
    pool: Pool | None = None,
) -> Reconstruction:
    """Run a request to its end; for the parameters see `run_ensemble`."""
    begun = time.perf_counter()
    try:
        request = settled(request, cancelled)
    except errors.Cancelled:
        raise InputError(_NOTHING) from None
    finished, stopped = run_ensemble(request, store=store, progress=progress, cancelled=cancelled, pool=pool)
    record = record_of(request, finished, stopped=stopped, seconds=time.perf_counter() - begun)
    return result_of(request, finished, record)


@fixed_blocks()
def result_of(request: RunRequest, finished: FinishedChains, record: RunRecord) -> Reconstruction:
    """Make the result of chains that somebody has stepped."""
    moments = finished.moments
    if moments.count == 0:
        raise InputError(_NOTHING)
    return finish(
        request.measurement,
        moments.mean,
        record,
        noise=moments.noise,
        image=finished.image,
        coils=finished.coils,
        variance=moments.variance if moments.count > 1 else None,
    )


def record_of(
    request: RunRequest,
    finished: FinishedChains | None = None,
    *,
    steps: int | None = None,
    stopped: bool = False,
    seconds: float = 0.0,
    changes: Sequence[Change] | None = None,
) -> RunRecord:
    """Record a run, or one that has not begun yet, as far as repeating it needs.

    Parameters
    ----------
    request
        What was asked for.
    finished
        What came of it; ``None`` for a run that has not begun.
    steps
        Iterations of one chain, where they are not those that the request asks for.
    stopped
        Whether fewer chains than wanted, or iterations than planned, were run.
    seconds
        How long it took.
    changes
        Made on the way; those of the request if ``None``.
    """
    settings, maps = request.settings, request.maps
    made = request.changes if changes is None else changes
    chosen = {} if request.choices is None else {"choices": request.choices.to_dict()}
    found: dict[str, Any] = {} if finished is None else {"noise": finished.moments.noise * request.measurement.scale}
    if finished is not None and finished.moments.count > 1:
        found |= _spread(request, finished.moments)
    given = {} if maps is None else {"coil_maps": maps.file, "coil_maps_sha256": maps.sha256}
    return record_run(
        request.measurement,
        Method.POGMDM,
        settings.to_dict(),
        (request.stop_after or len(noise_schedule(settings)) - 1) if steps is None else steps,
        stopped=stopped,
        seconds=seconds,
        changes=[change.to_dict() for change in made],
        sampler={
            "model": request.prior.information.get("source", request.prior.name),
            "model_sha256": parameter_hash(request.prior),
            "seed": request.seed,
            "chains": request.chains if finished is None else finished.moments.count,
            "coil_start": chosen_start(request.measurement, settings.coil_start) if maps is None else "given",
            **given,
            **chosen,
            **found,
        },
    )


def _spread(request: RunRequest, moments: Moments) -> dict[str, Any]:
    """Tell how far chains lie apart, and what that means where somebody has calibrated it."""
    spread = spread_of_mean(moments.variance, moments.count, mirrored=request.settings.mirror_noise)
    ratios = Ratios.of(spread, moments.mean, moments.noise)
    known = calibration_for(request.settings, parameter_hash(request.prior))
    if known is None:
        return dict(ratios.named)
    doubt = withdrawn(request.choices)
    told = {
        "factor": known.factor_at(ratios),
        "coverage": {} if doubt else known.coverage,
        "words": doubt or known.words,
    }
    return {**ratios.named, "calibration": told}
