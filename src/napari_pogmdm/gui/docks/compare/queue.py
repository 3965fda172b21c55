"""The queue of a comparison and its rows, without a window."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.case import Contender, Outcome
from napari_pogmdm.files import atomic_path
from napari_pogmdm.recon.metrics import Metrics


class State(Enum):
    """Where a row stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Task:
    """One contender on one slice."""

    contender: Contender
    slice_index: int


@dataclass(eq=False)
class Row:
    """A contender in the table.

    Attributes
    ----------
    outcome
        On the slice that is looked at.
    metrics
        By slice, wherever there is a reference.
    fraction
        Of the task that runs now.
    reason
        Why it failed.
    """

    contender: Contender
    state: State = State.WAITING
    outcome: Outcome | None = None
    metrics: dict[int, Metrics] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    fraction: float = 0.0
    reason: str = ""


class Comparison:
    """Rows, and the tasks that are still to do: every contender on the shown slice first, then on the others."""

    def __init__(self, shown_slice: int = 0) -> None:
        self.shown_slice = shown_slice
        self.rows: list[Row] = []
        self.current: Task | None = None
        self._tasks: list[Task] = []
        self._planned = 0

    def add(self, contenders: Sequence[Contender], slices: Iterable[int]) -> None:
        """Queue contenders; a row that has one already begins anew, all others stay."""
        if not contenders:
            raise InputError("compare: no method is ticked; tick at least one.")
        others = [index for index in slices if index != self.shown_slice]
        for contender in contenders:
            fresh = Row(contender)
            places = [place for place, row in enumerate(self.rows) if row.contender == contender]
            if places:
                self.rows[places[0]] = fresh
            else:
                self.rows.append(fresh)
        tasks = [Task(one, index) for index in (self.shown_slice, *others) for one in contenders]
        self._tasks, self._planned = tasks, len(tasks)

    @property
    def fraction(self) -> float:
        """Share of all planned tasks that is done."""
        if not self._planned:
            return 0.0
        left = len(self._tasks) + (0 if self.current is None else 1 - self.row_of(self.current).fraction)
        return 1 - left / self._planned

    @property
    def done(self) -> list[Row]:
        """Rows with an image."""
        return [row for row in self.rows if row.outcome is not None]

    def row_of(self, task: Task) -> Row:
        """Find the row of a task."""
        return next(row for row in self.rows if row.contender == task.contender)

    def next(self) -> Task | None:
        """Take the next task, skipping those of contenders that failed already; ``None`` when all is done."""
        self.current = None
        while self._tasks:
            task = self._tasks.pop(0)
            row = self.row_of(task)
            if row.state is not State.FAILED:
                row.state, row.fraction = State.RUNNING, 0.0
                self.current = task
                return task
        return None

    def finish(self, task: Task, outcome: Outcome) -> None:
        """Note what a task gave."""
        row = self.row_of(task)
        if task.slice_index == self.shown_slice:
            row.outcome = outcome
        if outcome.metrics is not None:
            row.metrics[task.slice_index] = outcome.metrics
        row.seconds[task.slice_index] = outcome.seconds
        waits = any(later.contender == task.contender for later in self._tasks)
        row.state = State.WAITING if waits else State.DONE

    def fail(self, task: Task, reason: str) -> None:
        """Note why a task gave nothing; its contender is not tried on other slices."""
        row = self.row_of(task)
        row.state, row.reason = State.FAILED, reason

    def cancel(self) -> None:
        """Forget what is still to do; rows with an image stay, those without say that they were cancelled."""
        for row in self.rows:
            if row.state in {State.WAITING, State.RUNNING}:
                row.state = State.CANCELLED if row.outcome is None else State.DONE
        self._tasks, self.current = [], None


def spread_slices(count: int, total: int, shown: int) -> tuple[int, ...]:
    """Choose slices evenly over a scan, the shown one first."""
    if not 1 <= count <= total:
        raise InputError(f"slices: {count} is not a number from 1 to {total}, the slices of this scan.")
    places = [round((place + 0.5) * total / count - 0.5) for place in range(count)]
    nearest = min(places, key=lambda place: abs(place - shown))
    return (shown, *(place for place in places if place != nearest))


def status_text(row: Row) -> str:
    """Say where a row stands in a word or two."""
    if row.state is State.RUNNING:
        return f"{row.fraction:.0%}"
    return row.state.value


def save_table(path: Path, rows: Sequence[Row]) -> None:
    """Write one line a method and slice as CSV."""
    if not any(row.seconds for row in rows):
        raise InputError(f"{path.name}: nothing was compared yet, so there is no table to save.")
    with atomic_path(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(("method", "slice", "psnr_db", "ssim", "nmse", "seconds", "parameters"))
        for row in rows:
            for index, seconds in sorted(row.seconds.items()):
                scores = row.metrics.get(index, Metrics(math.nan, math.nan, math.nan))
                figures = (f"{value:.6g}" for value in (scores.psnr, scores.ssim, scores.nmse, seconds))
                writer.writerow((row.contender.label, index, *figures, row.contender.parameters))
