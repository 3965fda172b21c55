"""Runs a request from end to end without a window, and records it on the way."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import asdict

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.recon.measurement import zero_filled_image
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.algorithms.by_name import noise_schedule
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.stepper import Progress
from napari_pogmdm.runs.display import DisplayGeometry
from napari_pogmdm.runs.frames import make_frame
from napari_pogmdm.runs.recording import RecordingFacts
from napari_pogmdm.runs.recording_writer import Recorder
from napari_pogmdm.runs.roles import LIVE_ROLES, Role
from napari_pogmdm.runs.run import Run

RECORDED_ROLES = (
    Role.IMAGE,
    Role.TWEEDIE,
    Role.COIL_MAGNITUDE,
    Role.COIL_PHASE,
    Role.MEAN,
    Role.DEVIATION,
)
"""What is recorded unless something else is asked for; the error needs no room."""


def recorder_for(request: RunRequest, geometry: DisplayGeometry, limit: int, coils_every: int = 4) -> Recorder:
    """Prepare a recorder for a run, with its reference and the zero-filled image.

    Parameters
    ----------
    request
        What will be run.
    geometry
        How its images lie in the window.
    limit
        Largest size of the file in bytes.
    coils_every
        Frames from one set of coil maps to the next.
    """
    settings, measurement = request.settings, request.measurement
    zero_filled = zero_filled_image(measurement)
    known: FloatImage = zero_filled if request.reference is None else request.reference
    facts = RecordingFacts(
        source=measurement.source,
        mask=measurement.sampling.describe(),
        model=str(request.prior.information.get("source", request.prior.name)),
        whole=geometry.whole,
        pixel=geometry.pixel,
        white=geometry.white,
        steps=len(noise_schedule(settings)) - 1,
        plan=(),
        chains=request.chains,
        settings=settings.to_dict(),
    )
    recorder = Recorder(facts, float(known.max()), limit, coils_every)
    recorder.add_constant(Role.ZERO_FILLED, zero_filled)
    if request.reference is not None:
        recorder.add_constant(Role.REFERENCE, request.reference)
    return recorder


def make_recording(
    request: RunRequest,
    recorder: Recorder,
    *,
    every: int = 1,
    substeps: bool = False,
    roles: Collection[str] = RECORDED_ROLES,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Reconstruction:
    """Run all chains of a request, and record them.

    Parameters
    ----------
    request
        What to run.
    recorder
        Takes the frames, see `recorder_for`.
    every
        Iterations between two frames; the first and the last of each chain always have one.
    substeps
        Also take a frame after every substep of these iterations.
    roles
        The pictures of a frame.
    progress
        Told the iterations that are done, and those of all chains.
    cancelled
        Asked between substeps.

    Raises
    ------
    Cancelled
        If ``cancelled`` says so; nothing is kept then.
    """
    if every < 1:
        raise InputError(f"every: {every} is not a number from 1 on.")
    roles = _recorded(roles, request.chains)
    run = Run(request, cancelled=cancelled, history_budget=0)
    recorder.set_substeps(run.sampler.plan)
    _take(run, recorder, roles, pictures=True)
    while not run.finished:
        if cancelled is not None and cancelled():
            raise Cancelled
        chain = run.chain
        run.substep(keep=False)
        due = run.chain != chain or _is_due(run, every, substeps)
        if due or run.state.substep == 0:
            _take(run, recorder, roles, pictures=due)
        if progress is not None and run.state.substep == 0:
            steps = run.sampler.steps
            progress(run.chain * steps + run.state.iteration, request.chains * steps)
    result = run.result(stopped=False)
    recorder.finish(asdict(result.record))
    return result


def _recorded(roles: Collection[str], chains: int) -> tuple[str, ...]:
    unknown = sorted(set(roles) - set(LIVE_ROLES))
    if unknown:
        raise InputError(f"roles: unknown {unknown[0]!r}; choose from {', '.join(LIVE_ROLES)}.")
    of_several = {Role.MEAN, Role.DEVIATION}
    return tuple(role for role in roles if chains > 1 or role not in of_several)


def _is_due(run: Run, every: int, substeps: bool) -> bool:
    """Whether the state that a substep led to has a frame."""
    state = run.state
    chosen = state.iteration % every == 0
    if substeps:
        return run.chain_finished or chosen or state.iteration == run.sampler.steps - 1
    return run.chain_finished or (chosen and state.substep == 0)


def _take(run: Run, recorder: Recorder, roles: Collection[str], *, pictures: bool) -> None:
    frame = make_frame(run.context, run.state, roles if pictures else ())
    if pictures:
        recorder.add(frame.point.row, frame.arrays, last=run.finished)
    else:
        recorder.note(frame.point.row)
