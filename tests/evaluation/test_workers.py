"""Processes that are killed cost their job a second try, and nobody else anything."""

from __future__ import annotations

import os
import signal
from multiprocessing import active_children
from pathlib import Path

import pytest

from napari_pogmdm.evaluation.workers import Lost, in_processes


def nothing() -> None:
    pass


def work(job: tuple[str, int, str]) -> int:
    """Double a number; some jobs kill their process, each time or the first time."""
    kind, number, folder = job
    mark = Path(folder) / str(number)
    tried = mark.exists()
    mark.touch()
    if kind == "deadly" or (kind == "unlucky" and not tried):
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


@pytest.mark.parametrize("processes", [2, 3])
def test_all_results_come_whatever_is_killed(tmp_path, processes):
    kinds = ["fine", "unlucky", "fine", "deadly", "fine", "unlucky"]
    jobs = [(kind, number, str(tmp_path)) for number, kind in enumerate(kinds)]
    results = list(in_processes(work, jobs, processes, nothing))
    assert sorted(one for one in results if not isinstance(one, Lost)) == [0, 2, 4, 8, 10]
    [lost] = [one for one in results if isinstance(one, Lost)]
    assert lost.job[:2] == ("deadly", 3)
    assert lost.exit_code == -signal.SIGKILL


def test_processes_end_when_nobody_wants_more(tmp_path):
    results = in_processes(work, [("fine", number, str(tmp_path)) for number in range(4)], 2, nothing)
    next(results)
    results.close()
    for child in active_children():
        child.join(20)
    assert not active_children()
