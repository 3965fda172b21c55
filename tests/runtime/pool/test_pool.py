"""The one loop: order, bounds, and who is asked whether a job is wanted."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from napari_pogmdm.runtime.pool.pool import Here, asking, run_jobs, unwanted


class Backwards:
    """Three workers, of which the one that was asked last is done first."""

    here, places = False, 3

    def __init__(self) -> None:
        self.out: list[tuple[int, int]] = []
        self.ended = False

    @contextmanager
    def crew(self, work, common):
        self.work, self.common = work, common
        try:
            yield self
        finally:
            self.ended = True

    def send(self, number, job):
        self.out.append((number, job))

    def receive(self):
        number, job = self.out.pop()
        return [(number, self.work(job, self.common))]


def test_results_come_in_order_and_few_are_out():
    pool, taken = Backwards(), []

    def jobs():
        for number in range(20):
            taken.append(number)
            yield number

    given = []
    for number, found in run_jobs(pool, lambda job, common: job + common, jobs(), 100):
        assert found == number + 100
        given.append(number)
        assert len(taken) - len(given) <= 2 * 3
    assert given == list(range(20))
    assert pool.ended


def test_results_come_as_they_are_done_where_order_does_not_matter():
    numbers = [number for number, _ in run_jobs(Backwards(), lambda job, common: job, range(7), in_order=False)]
    assert numbers != sorted(numbers)
    assert sorted(numbers) == list(range(7))


def test_here_jobs_are_done_one_by_one_and_errors_are_raised_as_they_are():
    done = []

    def work(job, common):
        done.append(job)
        return 1 // job

    results = run_jobs(Here(), work, [1, 0, 2])
    assert next(results) == (0, 1)
    assert done == [1]
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert done == [1, 0]


def test_whether_a_job_is_wanted_is_asked_of_who_runs_it():
    assert not unwanted()
    with asking(lambda: True):
        assert unwanted()
    assert not unwanted()
