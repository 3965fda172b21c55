from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.case import CLASSICAL_CHOICES, CaseResult
from napari_pogmdm.gui.docks.compare.queue import Comparison, ComparisonJob, RowState, spread_slices, status_text
from napari_pogmdm.recon.metrics import Metrics

ZERO, CG, TV, JOINT, ESPIRIT, _ = CLASSICAL_CHOICES


def result(psnr: float | None = 30.0) -> CaseResult:
    metrics = None if psnr is None else Metrics(psnr, 0.9, 0.01)
    return CaseResult(np.zeros((2, 2), np.float32), metrics, 1.5)


def test_the_shown_slice_comes_first_for_all_and_rows_fill():
    queue = Comparison(shown_slice=4)
    queue.add([ZERO, CG], (4, 1))
    order = []
    while (job := queue.next()) is not None:
        order.append((job.choice.label, job.slice_index))
        assert queue.row_of(job).state is RowState.RUNNING
        queue.finish(job, result(30.0 + job.slice_index))
    assert order == [("zero-filled", 4), ("CG-SENSE", 4), ("zero-filled", 1), ("CG-SENSE", 1)]
    assert [row.state for row in queue.rows] == [RowState.DONE, RowState.DONE]
    assert queue.rows[0].result.metrics.psnr == 34
    assert queue.rows[0].metrics[1].psnr == 31
    assert queue.fraction == 1


def test_progress_counts_the_running_job_in_part():
    queue = Comparison()
    queue.add([ZERO, CG], (0,))
    job = queue.next()
    queue.row_of(job).fraction = 0.5
    assert queue.fraction == pytest.approx(0.25)
    assert status_text(queue.row_of(job)) == "50%"


def test_cancelling_keeps_finished_rows_and_names_the_others():
    queue = Comparison()
    queue.add([ZERO, CG, TV], (0,))
    queue.finish(queue.next(), result())
    queue.next()
    queue.cancel()
    assert [row.state for row in queue.rows] == [RowState.DONE, RowState.CANCELLED, RowState.CANCELLED]
    assert queue.next() is None
    assert queue.done == queue.rows[:1]


def test_a_failure_stops_its_own_row_alone():
    queue = Comparison()
    queue.add([ESPIRIT, ZERO], (0, 1))
    queue.fail(queue.next(), "the centre is too small")
    rest = []
    while (job := queue.next()) is not None:
        rest.append(job)
        queue.finish(job, result(None))
    assert rest == [ComparisonJob(ZERO, 0), ComparisonJob(ZERO, 1)]
    assert queue.rows[0].state is RowState.FAILED
    assert queue.rows[1].metrics == {}


def test_running_again_replaces_a_row_and_leaves_the_others():
    queue = Comparison()
    queue.add([ZERO, CG], (0,))
    while (job := queue.next()) is not None:
        queue.finish(job, result())
    before = queue.rows[0]
    queue.add([CG, TV], (0,))
    assert [row.choice for row in queue.rows] == [ZERO, CG, TV]
    assert queue.rows[0] is before
    assert queue.rows[1].result is None


def test_nothing_chosen_is_told():
    with pytest.raises(InputError, match="tick at least one"):
        Comparison().add([], (0,))


def test_slices_are_spread_over_the_scan_around_the_shown_one():
    assert spread_slices(1, 9, 3) == (3,)
    assert spread_slices(3, 9, 4) == (4, 1, 7)
    assert sorted(spread_slices(9, 9, 5)) == list(range(9))
    with pytest.raises(InputError, match="slices: 10"):
        spread_slices(10, 9, 0)
