"""Scans that the command line reconstructs one after another: the jobs, their arguments, and their progress."""

from __future__ import annotations

import json
import re
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from napari_pogmdm.data.sources import RESULT_ENDING
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.runs.as_text import command_line, needs_file

_PLACE = re.compile(r"\((\d+) of (\d+)\)")  # in the name of a slice's job
_QUALITY = re.compile(r"PSNR ([\d.]+) dB")  # in the line about a finished slice
_DASHBOARD = re.compile(r"dashboard at (\S+)")  # in the line about a cluster
_SAID = re.compile(r"napari-pogmdm: (.*)")  # before the one sentence about bad input


class JobState(Enum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(eq=False)
class BatchJob:
    """One scan, all of its slices.

    Attributes
    ----------
    source, output
        What is read, and the result file that is written.
    state
        Where it stands.
    fraction
        Share that is done.
    slices
        In words: which of how many.
    qualities
        PSNR of every slice that has a reference, in dB.
    reason
        Why it failed.
    dashboard
        Address of the page on which dask shows a cluster's workers; empty where there is none.
    began, ended
        By `time.monotonic`; 0 before that.
    """

    source: str
    output: Path
    state: JobState = JobState.WAITING
    fraction: float = 0.0
    slices: str = ""
    qualities: list[float] = field(default_factory=list)
    reason: str = ""
    dashboard: str = ""
    began: float = 0.0
    ended: float = 0.0

    def hear(self, line: str) -> None:
        """Follow a line that the command wrote."""
        said = _SAID.search(line)
        if said is not None:
            self.reason = said.group(1)
        cluster = _DASHBOARD.search(line)
        if cluster is not None:
            self.dashboard = cluster.group(1)
        self.qualities += [float(number) for number in _QUALITY.findall(line)]
        if not line.startswith("{"):
            return
        try:
            told = json.loads(line)
        except ValueError:
            return  # a line that was cut in two
        found = _PLACE.search(str(told.get("job", "")))
        place, count = (int(found.group(1)), int(found.group(2))) if found is not None else (1, 1)
        self.slices = f"slice {place} of {count}" if count > 1 else ""
        self.fraction = (place - 1 + float(told.get("percent", 0)) / 100) / count

    def end(self, code: int) -> None:
        """Note how the command ended."""
        self.ended = time.monotonic()
        if self.state is not JobState.CANCELLED:
            self.state = JobState.DONE if code == 0 else JobState.FAILED
            self.fraction = 1.0 if code == 0 else self.fraction
            self.reason = "" if code == 0 else self.reason or f"the command ended with code {code}"

    @property
    def words(self) -> str:
        """Say where it stands."""
        if self.state is JobState.RUNNING:
            return f"{100 * self.fraction:.0f} %{', ' if self.slices else ''}{self.slices}"
        if self.state is JobState.DONE:
            return f"{self.ended - self.began:.0f} s"
        return self.state.value

    @property
    def quality(self) -> float | None:
        """Mean PSNR over slices, where there are references."""
        return sum(self.qualities) / len(self.qualities) if self.qualities else None


def batch_command(
    record: RunRecord, source: str, output: Path, mask: str | None = None, cluster: str = ""
) -> list[str]:
    """Give the command that does to all slices of a scan what a record says.

    Parameters
    ----------
    record
        Of a run, or of one that would be.
    source
        The scan.
    output
        The result file.
    mask
        A kind, or a file, that takes the place of the record's mask; ``None`` keeps it.
    cluster
        Where slices run, as ``--cluster`` takes it; empty for this machine.
    """
    if mask is not None and needs_file(record):
        record = RunRecord(**{**vars(record), "mask": {"kind": mask}, "changes": []})
    if needs_file(record):
        raise InputError("batch: the run was stopped, or changed while it ran; reset it, and choose settings for all.")
    words = shlex.split(command_line(record, output=str(output)))[1:]
    words[1] = source
    words[words.index("--slice") + 1] = "all"
    if mask is not None and "--mask" in words:
        words[words.index("--mask") + 1] = mask
    elsewhere = ["--cluster", cluster] if cluster else []
    return [sys.executable, "-m", "napari_pogmdm", *words, *elsewhere, "--progress", "lines"]


def jobs_for(scans: Sequence[Path], results: Path) -> list[BatchJob]:
    """Make a job for each scan, whose result is named after it."""
    return [BatchJob(str(scan), results / f"{scan.stem}{RESULT_ENDING}") for scan in scans]


def seconds_left(jobs: Sequence[BatchJob], now: float) -> float | None:
    """Estimate how long all jobs will take from now on, by those that are done; ``None`` while nothing is known."""
    spent = sum((job.ended or now) - job.began for job in jobs if job.began)
    done = sum(1.0 if job.ended else job.fraction for job in jobs if job.began)
    todo = sum(1.0 - job.fraction for job in jobs if job.state in {JobState.WAITING, JobState.RUNNING})
    return spent / done * todo if done > 0 else None
