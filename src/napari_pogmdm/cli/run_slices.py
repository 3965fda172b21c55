"""Reconstructs the planned slices of scans, side by side where there are workers, into one result file a scan."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from napari_pogmdm.cli.jobs.slice_job import FinishedSlice, SliceJob, SliceResult, priors_of, readable, run_slice
from napari_pogmdm.cli.options.shared import ProgressStyle
from napari_pogmdm.cli.progress import Begin, progress_bar
from napari_pogmdm.cli.run_plan import SliceRun
from napari_pogmdm.data.acquisition import Scan
from napari_pogmdm.data.result_file import result_file
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.stepper import Progress
from napari_pogmdm.runtime.pool.pool import Here, Lost, Pool, run_jobs


@dataclass(frozen=True, eq=False)
class ScanPlan:
    """The slices of one scan that become one result file.

    Attributes
    ----------
    source
        The scan as it was named.
    scan
        That it opens.
    runs
        Its slices, and how.
    output
        The file to write.
    """

    source: str
    scan: Scan
    runs: Sequence[SliceRun]
    output: Path


def run_slices(
    plans: Sequence[ScanPlan],
    pool: Pool,
    *,
    device: str,
    resume: Path | None = None,
    drawn: bool = False,
    style: ProgressStyle = ProgressStyle.BAR,
) -> Generator[list[FinishedSlice] | InputError, None, None]:
    """Reconstruct all slices; a scan's result file appears when its last slice is done.

    Slices of all scans are one line of jobs, so that no worker waits for the end of a scan.

    Parameters
    ----------
    plans
        The scans.
    pool
        Where to compute; of a single slice with several chains, those are the jobs.
    device
        Where a worker computes, as torch calls it.
    resume
        File for finished chains; of several slices, each has its own beside it.
    drawn
        Whether the image of a scan's first slice is wanted.
    style
        For whom progress is told.

    Yields
    ------
    For each scan its slices, or why there is no result.
    """
    runs = [run for plan in plans for run in plan.runs]
    single = len(runs) == 1 and runs[0].request.chains > 1
    place: Pool = Here() if single else pool
    given_up: set[Path] = set()
    with progress_bar(style) as begin:
        jobs = _all_jobs(plans, place, device, resume, begin, given_up)
        jobs = (replace(job, drawn=drawn, pool=pool if single else None) for job in jobs)
        told: Progress = (lambda done, total: None) if place.here else begin("slices")
        told(0, len(runs))
        with closing(run_jobs(place, run_slice, jobs, {} if place.here else priors_of(runs))) as stream:
            done = end = 0

            def take() -> SliceResult | Lost:
                nonlocal done
                _, found = next(stream)
                done += 1
                told(done, len(runs))
                return found

            for plan in plans:
                end += len(plan.runs)
                outcome: list[FinishedSlice] | InputError
                try:
                    outcome = _write(plan, take)
                except InputError as error:
                    outcome = error
                    given_up.add(plan.output)
                    while done < end and plan is not plans[-1]:
                        take()
                yield outcome


def _all_jobs(
    plans: Sequence[ScanPlan],
    place: Pool,
    device: str,
    resume: Path | None,
    begin: Begin,
    given_up: Container[Path],
) -> Iterator[SliceJob]:
    """Make jobs one by one, so that no more than a few slices are in memory; those of scans given up do nothing."""
    count, place_of = sum(len(plan.runs) for plan in plans), 0
    for plan in plans:
        here = readable(place, plan.runs, plan.source)
        for run in plan.runs:
            job = SliceJob(run, device, first=run is plan.runs[0])
            place_of += 1
            if plan.output in given_up:
                yield replace(job, refused="an earlier slice was refused")
                continue
            if resume is not None:
                job = replace(job, store=resume.with_stem(f"{resume.stem}-{run.index}") if count > 1 else resume)
            if place.here:
                where = f" ({place_of} of {count})" if count > 1 else ""
                job = replace(job, progress=begin(f"{run.request.method}, slice {run.index}{where}"))
            yield replace(job, scan=plan.scan) if here else job.read(plan.scan)


def _write(plan: ScanPlan, take: Callable[[], SliceResult | Lost]) -> list[FinishedSlice]:
    finished: list[FinishedSlice] = []
    with result_file(plan.output, len(plan.runs)) as file:
        for row, run in enumerate(plan.runs):
            found = take()
            if isinstance(found, Lost):
                raise InputError(f"{plan.scan.name}: slice {run.index}: {found.reason}; is there enough memory?")
            if found.finished is None:
                raise InputError(found.refused)
            file.add(row, found.arrays)
            finished.append(found.finished)
        file.record(json.dumps([one.entry for one in finished], indent=2))
    return finished
