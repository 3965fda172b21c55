"""Reconstructs the planned slices of a scan one after the other into one result file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.cli.interrupt import asking_to_stop
from napari_pogmdm.cli.options.shared import ProgressStyle
from napari_pogmdm.cli.progress import progress_bar
from napari_pogmdm.cli.run_plan import SliceRun
from napari_pogmdm.data.acquisition import Acquisition, Scan
from napari_pogmdm.data.result_file import result_file
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.names import AUTO
from napari_pogmdm.recon.figures import MethodImage
from napari_pogmdm.recon.measurement import Measurement, reference_image
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.stepper import Progress


@dataclass(frozen=True, eq=False)
class FinishedSlice:
    """A reconstructed slice.

    Attributes
    ----------
    entry
        What the result file says about it: slice, record and metrics.
    shown
        Its image, for a figure.
    reference
        (rows, columns) of the fully sampled image, where there is one to compare with.
    mask
        The mask in words.
    found
        What was found in the file and done to its samples, and which of them were used.
    """

    entry: dict[str, Any]
    shown: MethodImage
    reference: FloatImage | None
    mask: str
    found: tuple[str, ...] = ()

    def remarks(self) -> list[str]:
        """Say what was found in the file, what the data chose, and whether they fit the model: a line each."""
        words = self.entry["sampler"].get("choices", {}).get("words", ())
        return [f"slice {self.entry['slice']}: {sentence}" for sentence in (*self.found, *words)]

    def summary(self) -> str:
        """One line for people."""
        entry, found = self.entry, self.shown.metrics
        done = f"slice {entry['slice']}: {entry['method']}"
        if found is None:
            return f"{done} in {entry['seconds']:.1f} s (no reference to compare with)"
        numbers = f"PSNR {found.psnr:.2f} dB, SSIM {found.ssim:.3f}, NMSE {found.nmse:.4f}"
        return f"{done} {numbers}, {entry['seconds']:.1f} s"


def run_slices(
    runs: Sequence[SliceRun],
    scan: Scan,
    output: Path,
    *,
    device: str,
    resume: Path | None,
    style: ProgressStyle = ProgressStyle.BAR,
) -> list[FinishedSlice]:
    """Reconstruct all slices and write one result file, which appears when the last one is done.

    Parameters
    ----------
    runs
        The slices, and how.
    scan
        That they are slices of.
    output
        The file to write.
    device
        Where to compute, as torch calls it.
    resume
        File for finished chains; of several slices, each has its own beside it.
    style
        For whom progress is told.
    """
    finished: list[FinishedSlice] = []
    with result_file(output, len(runs)) as file, progress_bar(style) as begin:
        for row, run in enumerate(runs):
            acquisition = scan[run.index]
            measurement = run.measure(acquisition, device)
            store = resume if resume is None or len(runs) == 1 else resume.with_stem(f"{resume.stem}-{run.index}")
            place = f" ({row + 1} of {len(runs)})" if len(runs) > 1 else ""
            progress = begin(f"{run.request.method}, slice {run.index}{place}")
            if len(runs) == 1 and run.request.chains > 1:
                result = _interruptible(run, measurement, progress, store)
            else:
                result = run.reconstruct(measurement, progress, store=store)
            file.add(row, result.arrays())
            reference = None if run.request.prewhiten else reference_image(acquisition)
            found = None if reference is None else metrics(reference, result.image)
            entry = {**result.entry(None if found is None else asdict(found)), "slice": run.index}
            shown = MethodImage(result.record.method, result.image, found)
            words = measurement.sampling.describe()
            said = (*acquisition.remarks, _used(run, acquisition, words))
            finished.append(FinishedSlice(entry, shown, reference, words, said))
        file.record(json.dumps([one.entry for one in finished], indent=2))
    return finished


def _used(run: SliceRun, acquisition: Acquisition, words: str) -> str:
    """Say which samples were reconstructed from."""
    if acquisition.trajectory is not None:
        return "reconstructed from all samples of the trajectory"
    if run.request.sampling.trajectory is not None or (run.record is not None and run.record.trajectory):
        return f"reconstructed from samples that were simulated along a trajectory: {words}"
    if acquisition.mask is None and run.request.sampling.mask == AUTO and not run.same_sampling:
        return f"the scan is full, so it was undersampled for the trial ({words}); --mask chooses how"
    return f"reconstructed from the samples of the mask: {words}"


def _interruptible(run: SliceRun, measurement: Measurement, progress: Progress, store: Path | None) -> Reconstruction:
    """Run several chains; an interrupt keeps those that are done."""
    with asking_to_stop("Stopping; the chains that are done will be kept.") as stop:
        try:
            return run.reconstruct(measurement, progress, stop, store)
        except InputError:
            if stop():
                raise KeyboardInterrupt from None
            raise
