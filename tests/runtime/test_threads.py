"""Work beside torch's own, on torch's own threads."""

from __future__ import annotations

import signal
import threading

import pytest
import torch

from napari_pogmdm.runtime import threads
from napari_pogmdm.runtime.threads import rest, side_by_side


@pytest.fixture(params=["torch's threads", "a pool"])
def _runtime(request, monkeypatch):
    if request.param == "a pool":
        monkeypatch.setattr(threads, "_openmp", lambda: None)
    elif threads._openmp() is None:
        pytest.skip("torch has no GNU OpenMP here")


@pytest.mark.usefixtures("_runtime")
@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_job_is_done_once(count):
    done: list[int] = []
    side_by_side([lambda number=number: done.append(number) for number in range(11)], count)
    assert sorted(done) == list(range(11))


@pytest.mark.usefixtures("_runtime")
def test_jobs_that_let_go_of_the_interpreter_run_at_the_same_time():
    met = threading.Barrier(2, timeout=20)
    side_by_side([met.wait, met.wait], 2)
    assert not met.broken


@pytest.mark.usefixtures("_runtime")
def test_a_failure_is_raised_and_the_others_are_still_done():
    done: list[int] = []

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        side_by_side([fail, lambda: done.append(1), lambda: done.append(2)], 2)
    assert sorted(done) == [1, 2]
    side_by_side([lambda: done.append(3), lambda: done.append(4)], 2)
    assert sorted(done) == [1, 2, 3, 4]


@pytest.mark.usefixtures("_runtime")
def test_several_threads_may_do_so_at_once_and_rest():
    totals: list[int] = []

    def work() -> None:
        done: list[int] = []
        for _ in range(20):
            side_by_side([lambda: done.append(1)] * 4, 2)
            torch.ones(100_000).sum()
            rest()
        totals.append(len(done))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert totals == [80] * 4


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_is_never_lost():
    """Interrupts arrive while compiled work begins and ends, also before anything in there can catch them."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    heard = 0
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for turn in range(200):
            try:
                signal.setitimer(signal.ITIMER_REAL, 2e-4 + 1e-6 * turn)
                for _ in range(10_000):
                    side_by_side([bool] * 2, 2)
            except KeyboardInterrupt:
                heard += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard == 200
