"""The queue of a comparison and the rows of its table, without a window."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.case import CaseResult, MethodChoice
from napari_pogmdm.recon.metrics import Metrics


class RowState(Enum):
    """Where a row stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class ComparisonJob:
    """One method on one slice."""

    choice: MethodChoice
    slice_index: int


@dataclass(eq=False)
class ComparisonRow:
    """A method in the table.

    Attributes
    ----------
    choice
        The method.
    state
        Where it stands.
    result
        On the slice that is looked at.
    metrics
        By slice, wherever there is a reference.
    seconds
        By slice.
    fraction
        Of the job that runs now, from 0 to 1.
    reason
        Why it failed.
    """

    choice: MethodChoice
    state: RowState = RowState.WAITING
    result: CaseResult | None = None
    metrics: dict[int, Metrics] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    fraction: float = 0.0
    reason: str = ""


class Comparison:
    """Rows, and the jobs that are still to do: every method on the shown slice first, then on the others.

    Parameters
    ----------
    shown_slice
        Index of the slice that is looked at.

    Attributes
    ----------
    rows
        In the order in which they were added.
    current
        The job that runs now.
    """

    def __init__(self, shown_slice: int = 0) -> None:
        self.shown_slice = shown_slice
        self.rows: list[ComparisonRow] = []
        self.current: ComparisonJob | None = None
        self._jobs: list[ComparisonJob] = []
        self._planned = 0

    def add(self, choices: Sequence[MethodChoice], slices: Iterable[int]) -> None:
        """Queue methods; a row that has one already begins anew, all others stay."""
        if not choices:
            raise InputError("compare: no method is ticked; tick at least one.")
        others = [index for index in slices if index != self.shown_slice]
        for choice in choices:
            fresh = ComparisonRow(choice)
            places = [place for place, row in enumerate(self.rows) if row.choice == choice]
            if places:
                self.rows[places[0]] = fresh
            else:
                self.rows.append(fresh)
        self._jobs = [ComparisonJob(choice, index) for index in (self.shown_slice, *others) for choice in choices]
        self._planned = len(self._jobs)

    @property
    def fraction(self) -> float:
        """Share of all planned jobs that is done."""
        if not self._planned:
            return 0.0
        left = len(self._jobs) + (0 if self.current is None else 1 - self.row_of(self.current).fraction)
        return 1 - left / self._planned

    @property
    def done(self) -> list[ComparisonRow]:
        """Rows with an image."""
        return [row for row in self.rows if row.result is not None]

    def row_of(self, job: ComparisonJob) -> ComparisonRow:
        """Find the row of a job."""
        return next(row for row in self.rows if row.choice == job.choice)

    def next(self) -> ComparisonJob | None:
        """Take the next job, skipping those of methods that failed already; ``None`` when all is done."""
        self.current = None
        while self._jobs:
            job = self._jobs.pop(0)
            row = self.row_of(job)
            if row.state is not RowState.FAILED:
                row.state, row.fraction = RowState.RUNNING, 0.0
                self.current = job
                return job
        return None

    def finish(self, job: ComparisonJob, result: CaseResult) -> None:
        """Note what a job gave."""
        row = self.row_of(job)
        if job.slice_index == self.shown_slice:
            row.result = result
        if result.metrics is not None:
            row.metrics[job.slice_index] = result.metrics
        row.seconds[job.slice_index] = result.seconds
        waits = any(later.choice == job.choice for later in self._jobs)
        row.state = RowState.WAITING if waits else RowState.DONE

    def fail(self, job: ComparisonJob, reason: str) -> None:
        """Note why a job gave nothing; its method is not tried on other slices."""
        row = self.row_of(job)
        row.state, row.reason = RowState.FAILED, reason

    def cancel(self) -> None:
        """Forget what is still to do; rows with an image stay, those without say that they were cancelled."""
        for row in self.rows:
            if row.state in {RowState.WAITING, RowState.RUNNING}:
                row.state = RowState.CANCELLED if row.result is None else RowState.DONE
        self._jobs, self.current = [], None


def spread_slices(count: int, total: int, shown: int) -> tuple[int, ...]:
    """Choose slices evenly over a scan, the shown one first."""
    if not 1 <= count <= total:
        raise InputError(f"slices: {count} is not a number from 1 to {total}, the slices of this scan.")
    places = [round((place + 0.5) * total / count - 0.5) for place in range(count)]
    nearest = min(places, key=lambda place: abs(place - shown))
    return (shown, *(place for place in places if place != nearest))


def status_text(row: ComparisonRow) -> str:
    """Say where a row stands in a word or two."""
    if row.state is RowState.RUNNING:
        return f"{row.fraction:.0%}"
    return row.state.value
