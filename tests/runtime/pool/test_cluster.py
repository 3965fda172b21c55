"""A real scheduler and two worker processes: a worker that dies costs its job a second try, and nobody anything."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest

import pool_jobs
from napari_pogmdm.errors import InputError
from napari_pogmdm.runtime.pool import cluster as dask_cluster
from napari_pogmdm.runtime.pool.connect import open_pool
from napari_pogmdm.runtime.pool.pool import Lost, run_jobs

LONG = 120.0  # seconds that a busy machine may need; nothing here depends on how long it is


@pytest.fixture
def pool(scheduler):
    with open_pool(scheduler) as opened:
        yield opened


def eventually(question) -> bool:
    end = time.monotonic() + LONG
    while not (found := question()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def test_results_come_in_order_though_workers_die(pool, tmp_path):
    kinds = ["fine", "unlucky", "fine", "deadly", "fine", "fine"]
    jobs = [(kind, number, str(tmp_path)) for number, kind in enumerate(kinds)]
    results = list(run_jobs(pool, pool_jobs.double, jobs, 100))
    assert [number for number, _ in results] == [0, 1, 2, 3, 4, 5]
    assert [found for _, found in results if not isinstance(found, Lost)] == [100, 102, 104, 108, 110]
    [lost] = [found for _, found in results if isinstance(found, Lost)]
    assert lost.job[:2] == ("deadly", 3)
    assert "killed each time" in lost.reason


def test_jobs_out_are_bounded_however_many_there_are(pool, tmp_path):
    taken = 0

    def jobs():
        nonlocal taken
        for number in range(60):
            taken += 1
            yield "fine", number, str(tmp_path)

    given = 0
    for number, found in run_jobs(pool, pool_jobs.double, jobs()):
        given += 1
        assert found == 2 * number
        assert taken - given <= 2 * 2  # two workers, twice
    assert given == taken == 60


def test_what_all_jobs_share_is_sent_once_a_worker(pool, tmp_path, monkeypatch):
    class Counted:
        pickled = 0

        def __reduce__(self):
            Counted.pickled += 1
            return int, (7,)

    jobs = [("fine", number, str(tmp_path)) for number in range(20)]
    assert [found for _, found in run_jobs(pool, pool_jobs.double, jobs, Counted())] == [2 * i + 7 for i in range(20)]
    assert Counted.pickled <= 2  # for the scheduler, which has a copy for each worker


def test_a_refusal_on_a_worker_is_one_here(pool, tmp_path):
    with pytest.raises(InputError, match=r"number: is refused\."):
        list(run_jobs(pool, pool_jobs.double, [("refused", 0, str(tmp_path))]))


def test_a_job_that_nobody_waits_for_stops_on_its_worker(pool, tmp_path):
    results = run_jobs(pool, pool_jobs.until_unwanted, [str(tmp_path)])
    asked = threading.Thread(target=lambda: eventually((tmp_path / "begun").exists))

    def interrupted(*_arguments):
        raise KeyboardInterrupt

    asked.start()
    before = signal.signal(signal.SIGALRM, interrupted)
    try:
        threading.Thread(target=lambda: (asked.join(), signal.pthread_kill(main, signal.SIGALRM))).start()
        main = threading.main_thread().ident
        with pytest.raises(KeyboardInterrupt):
            next(results)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert eventually((tmp_path / "stopped").exists)


def test_files_are_seen_where_all_workers_have_them(pool, tmp_path):
    file = tmp_path / "a.npy"
    np.save(file, np.zeros(3))
    assert pool.sees([str(file), "demo"])


@pytest.mark.slow
def test_another_version_on_a_worker_is_refused(scheduler, monkeypatch):
    monkeypatch.setattr(dask_cluster, "__version__", "0.0.1")
    with (
        pytest.raises(InputError, match=r"has napari-pogmdm .*; install napari-pogmdm 0\.0\.1 there"),
        open_pool(scheduler),
    ):
        pass
