"""Runs the queue of a comparison in the background, one job after another, and reports its progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from qtpy.QtCore import QObject, QTimer, Signal

from napari_pogmdm.evaluation.case import CaseResult, MethodChoice, run_case
from napari_pogmdm.gui.background.mailbox import Mailbox
from napari_pogmdm.gui.background.notices import Notice
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.compare.cases import SliceCases
from napari_pogmdm.gui.docks.compare.queue import Comparison, ComparisonJob, ComparisonRow

_TICK_MILLISECONDS = 100  # between two looks at the progress; bar and table need not move faster


class ComparisonRunner(QObject):
    """Takes jobs from the queue until it is empty.

    Parameters
    ----------
    dock
        Whose background thread is used, and with which this ends.

    Attributes
    ----------
    comparison, cases
        The queue, and what its methods are given; ``None`` before the first run.
    changed
        Signal: rows changed.
    arrived
        Signal with the row whose image of the shown slice is there.
    progressed
        Signal with the label of the running method and the share of all jobs that is done.
    ended
        Signal: whether all jobs are done, or else were cancelled.
    """

    changed = Signal()
    arrived = Signal(object)
    progressed = Signal(str, float)
    ended = Signal(bool)

    def __init__(self, dock: Dock) -> None:
        super().__init__(dock)
        self.comparison = Comparison()
        self.cases: SliceCases | None = None
        self._tell = dock.workbench.tell
        self._worker = dock.make_worker("pogmdm comparing", self._failed)
        self._mail: Mailbox[float] = Mailbox()
        self._seed = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MILLISECONDS)
        self._timer.timeout.connect(self._look)

    @property
    def busy(self) -> bool:
        """Whether methods are being run."""
        return self._timer.isActive()

    @property
    def rows(self) -> list[ComparisonRow]:
        """The rows of the table, in the order in which they were added."""
        return self.comparison.rows

    def compare_on(self, cases: SliceCases, shown_slice: int) -> None:
        """Forget all rows and begin a comparison on other cases."""
        self.comparison, self.cases = Comparison(shown_slice), cases

    def start(self, choices: Sequence[MethodChoice], slices: Iterable[int], seed: int) -> None:
        """Run methods on slices."""
        self.comparison.add(choices, slices)
        self._seed = seed
        self._timer.start()
        self._advance()

    def cancel(self) -> None:
        """Stop, and keep what is done."""
        self._worker.cancel()
        self.comparison.cancel()
        self._end(complete=False)

    def _advance(self) -> None:
        """Begin the next job, or end."""
        job, cases = self.comparison.next(), self.cases
        if job is None or cases is None:
            self._end(complete=True)
            return
        mail, seed = Mailbox[float](), self._seed
        self._mail = mail

        def work(cancelled: Callable[[], bool]) -> tuple[ComparisonJob, CaseResult]:
            return job, run_case(job.choice, cases(job.slice_index), seed, mail.put, cancelled)

        self._worker.submit(job.choice.label, work, self._arrived)
        self.changed.emit()
        self.progressed.emit(job.choice.label, self.comparison.fraction)

    def _arrived(self, found: tuple[ComparisonJob, CaseResult]) -> None:
        job, result = found
        self.comparison.finish(job, result)
        if job.slice_index == self.comparison.shown_slice:
            self.arrived.emit(self.comparison.row_of(job))
        self._advance()

    def _failed(self, notice: Notice) -> None:
        self._tell(notice)
        if self.comparison.current is not None:
            self.comparison.fail(self.comparison.current, notice.text)
            self._advance()

    def _end(self, *, complete: bool) -> None:
        self._timer.stop()
        self.changed.emit()
        self.ended.emit(complete)

    def _look(self) -> None:
        fraction, job = self._mail.take(), self.comparison.current
        if job is not None and fraction is not None:
            self.comparison.row_of(job).fraction = fraction
            self.progressed.emit(job.choice.label, self.comparison.fraction)
