"""Processes that are killed cost their job a second try, and nobody else anything."""

from __future__ import annotations

from multiprocessing import active_children

import pytest

import pool_jobs
from napari_pogmdm.errors import InputError
from napari_pogmdm.runtime.pool.pool import Lost, run_jobs
from napari_pogmdm.runtime.pool.processes import Processes


@pytest.mark.parametrize(("processes", "in_order"), [(2, False), (3, True)])
def test_all_results_come_whatever_is_killed(tmp_path, processes, in_order):
    kinds = ["fine", "unlucky", "fine", "deadly", "fine", "unlucky"]
    jobs = [(kind, number, str(tmp_path)) for number, kind in enumerate(kinds)]
    results = list(run_jobs(Processes(processes), pool_jobs.double, jobs, 1, in_order=in_order))
    assert sorted(found for _, found in results if not isinstance(found, Lost)) == [1, 3, 5, 9, 11]
    [lost] = [found for _, found in results if isinstance(found, Lost)]
    assert lost.job[:2] == ("deadly", 3)
    assert lost.reason == "its process was killed each time (exit code -9)"
    numbers = [number for number, _ in results]
    assert sorted(numbers) == [0, 1, 2, 3, 4, 5]
    assert numbers == sorted(numbers) or not in_order


def test_a_refusal_in_a_process_is_one_here(tmp_path):
    jobs = [("fine", 0, str(tmp_path)), ("refused", 1, str(tmp_path))]
    with pytest.raises(InputError, match=r"number: is refused\."):
        list(run_jobs(Processes(2), pool_jobs.double, jobs))


def test_processes_end_when_nobody_wants_more(tmp_path):
    results = run_jobs(Processes(2), pool_jobs.double, [("fine", number, str(tmp_path)) for number in range(4)])
    next(results)
    results.close()
    for child in active_children():
        child.join(20)
    assert not active_children()
