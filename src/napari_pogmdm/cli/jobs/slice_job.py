"""One slice as a job: measured, reconstructed and judged on a worker, which may not see the files of the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.cli.interrupt import asking_to_stop
from napari_pogmdm.cli.run_plan import SliceRun
from napari_pogmdm.data.acquisition import Acquisition, Scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.names import AUTO
from napari_pogmdm.physics.sampling import Sampling
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.reading import is_file
from napari_pogmdm.recon.coils.given import CoilMaps
from napari_pogmdm.recon.figures import MethodImage
from napari_pogmdm.recon.measurement import Measurement, reference_image
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.metrics import Metrics, metrics
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.stepper import Progress
from napari_pogmdm.runtime.pool.pool import Pool, unwanted


@dataclass(frozen=True, eq=False)
class FinishedSlice:
    """A reconstructed slice.

    Attributes
    ----------
    entry
        What the result file says about it: slice, record and metrics.
    scores
        How close it came to the reference, where there is one.
    mask
        The mask in words.
    found
        What was found in the file and done to its samples, and which of them were used.
    shown, reference
        Its image and the fully sampled one, (rows, columns), for a figure; ``None`` where none is drawn.
    """

    entry: dict[str, Any]
    scores: Metrics | None
    mask: str
    found: tuple[str, ...] = ()
    shown: MethodImage | None = None
    reference: FloatImage | None = None

    def remarks(self) -> list[str]:
        """Say what was found in the file, what the data chose, whether they fit the model, and what ``std`` is."""
        sampler = self.entry["sampler"]
        spread = [f"standard deviation {sampler['calibration']['words']}."] if "calibration" in sampler else []
        words = (*self.found, *sampler.get("choices", {}).get("words", ()), *spread)
        return [f"slice {self.entry['slice']}: {sentence}" for sentence in words]

    def summary(self) -> str:
        """One line for people."""
        entry, scores = self.entry, self.scores
        done = f"slice {entry['slice']}: {entry['method']}"
        if scores is None:
            return f"{done} in {entry['seconds']:.1f} s (no reference to compare with)"
        numbers = f"PSNR {scores.psnr:.2f} dB, SSIM {scores.ssim:.3f}, NMSE {scores.nmse:.4f}"
        return f"{done} {numbers}, {entry['seconds']:.1f} s"


@dataclass(frozen=True, eq=False)
class SliceJob:
    """A slice to reconstruct.

    Attributes
    ----------
    run
        Which, and how.
    device
        Where to compute, as torch calls it.
    scan
        To read it from; ``None`` if it has been read.
    acquisition, sampling
        The slice and how to undersample it, for a worker that does not see the files.
    maps
        Known coils, for such a worker.
    first
        Whether it is the first one of its scan.
    drawn
        Whether the first one's image is wanted for a figure.
    store
        File for finished chains.
    refused
        Why it could not be read.
    progress
        Told the steps, in this process alone.
    pool
        Where its chains run, in this process alone.
    """

    run: SliceRun
    device: str
    scan: Scan | None = None
    acquisition: Acquisition | None = None
    sampling: Sampling | None = None
    maps: CoilMaps | None = None
    first: bool = True
    drawn: bool = False
    store: Path | None = None
    refused: str = ""
    progress: Progress | None = None
    pool: Pool | None = None

    def read(self, scan: Scan) -> SliceJob:
        """Read the slice, and the files that go with it, for a worker that cannot."""
        try:
            acquisition = scan[self.run.index]
            return replace(self, acquisition=acquisition, sampling=self.run.sample(acquisition), maps=self.run.maps())
        except InputError as error:
            return replace(self, refused=str(error))


@dataclass(frozen=True, eq=False)
class SliceResult:
    """What a worker sends back: arrays for the result file and words, or the sentence that says why there are none."""

    arrays: Mapping[str, NDArray[np.generic]]
    finished: FinishedSlice | None
    refused: str = ""


def readable(pool: Pool, runs: Sequence[SliceRun], source: str) -> bool:
    """Whether workers can read slices themselves: they see the same scan and the same files of masks and coils.

    Parameters
    ----------
    pool
        Of the workers.
    runs
        Slices of one scan.
    source
        The scan as the user named it.
    """
    if pool.here:
        return True
    files = {source, *(name for run in runs for name in run.files)}
    named = all(Path(name).is_absolute() for name in files if is_file(name))  # workers may stand in another folder
    return named and is_file(source) and pool.sees(files)


def priors_of(runs: Sequence[SliceRun]) -> dict[str, ScorePrior]:
    """Load the priors of all runs, to be sent to each worker once."""
    names = {run.request.model for run in runs if run.request.method == Method.POGMDM}
    return {name: load_prior(name) for name in sorted(names)}


def run_slice(job: SliceJob, priors: Mapping[str, ScorePrior]) -> SliceResult:
    """Measure, reconstruct and judge a slice; one that is refused says why.

    Parameters
    ----------
    job
        The slice.
    priors
        By name or file; others are loaded.
    """
    if job.refused:
        return SliceResult({}, None, job.refused)
    try:
        return _run(job, priors.get(job.run.request.model))
    except InputError as error:
        return SliceResult({}, None, str(error))


def _run(job: SliceJob, prior: ScorePrior | None) -> SliceResult:
    run, acquisition = job.run, job.acquisition
    if acquisition is None:
        assert job.scan is not None
        acquisition = job.scan[run.index]
    measurement = run.measure(acquisition, job.device, job.sampling)
    if job.pool is not None:
        result = _interruptible(job, job.pool, measurement)
    else:
        result = run.reconstruct(measurement, job.progress, unwanted, job.store, prior=prior, maps=job.maps)
    reference = None if run.request.prewhiten else reference_image(acquisition)
    scores = None if reference is None else metrics(reference, result.image)
    entry = {**result.entry(None if scores is None else asdict(scores)), "slice": run.index}
    words = measurement.sampling.describe()
    finished = FinishedSlice(entry, scores, words, (*acquisition.remarks, _used(run, acquisition, words)))
    if job.drawn and job.first:
        shown = MethodImage(result.record.method, result.image, scores)
        finished = replace(finished, shown=shown, reference=reference)
    return SliceResult(result.arrays(), finished)


def _used(run: SliceRun, acquisition: Acquisition, words: str) -> str:
    """Say which samples were reconstructed from."""
    if acquisition.trajectory is not None:
        return "reconstructed from all samples of the trajectory"
    if run.request.sampling.trajectory is not None or (run.record is not None and run.record.trajectory):
        return f"reconstructed from samples that were simulated along a trajectory: {words}"
    if acquisition.mask is None and run.request.sampling.mask == AUTO and not run.same_sampling:
        return f"the scan is fully sampled, so it was undersampled as a trial ({words}); --mask chooses how"
    return f"reconstructed from the samples of the mask: {words}"


def _interruptible(job: SliceJob, pool: Pool, measurement: Measurement) -> Reconstruction:
    """Run several chains; an interrupt keeps those that are done."""
    with asking_to_stop("Stopping; the chains that are done will be kept.") as stop:
        try:
            return job.run.reconstruct(measurement, job.progress, stop, job.store, pool=pool)
        except InputError:
            if stop():
                raise KeyboardInterrupt from None
            raise
