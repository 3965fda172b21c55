"""Pools by what the user said; what cannot be had is refused in one sentence."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

import pool_jobs
from napari_pogmdm.errors import InputError
from napari_pogmdm.runtime.pool import connect
from napari_pogmdm.runtime.pool.connect import open_pool
from napari_pogmdm.runtime.pool.pool import run_jobs
from napari_pogmdm.runtime.pool.processes import Processes


def test_without_a_cluster_jobs_stay_here(tmp_path):
    with open_pool() as pool:
        assert pool.here
        assert list(run_jobs(pool, pool_jobs.double, [("fine", 3, str(tmp_path))])) == [(0, 6)]
    with open_pool(processes=3) as pool:
        assert isinstance(pool, Processes)
        assert (pool.here, pool.places) == (False, 3)


def refused(words: str, *arguments: object) -> None:
    with pytest.raises(InputError, match=words), open_pool(*arguments):
        pass


def test_processes_and_a_cluster_exclude_each_other():
    refused("--jobs: cannot be combined with --cluster", "local:2", 2)


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(connect, "find_spec", lambda name: None)
    refused(r"install it with pip install 'napari-pogmdm\[cluster\]'", "local:2")


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr(connect, "_PATIENCE", 0.5)
    refused("no scheduler answers at tcp://127.0.0.1:9", "tcp://127.0.0.1:9")


def test_a_queue_that_is_not_installed_is_named(tmp_path):
    (tmp_path / "queue.yaml").write_text("cluster: slurm")
    refused("slurm needs dask-jobqueue; install it with pip", str(tmp_path / "queue.yaml"))


@pytest.mark.slow
def test_a_queue_gets_its_options_and_its_number_of_workers(tmp_path, monkeypatch):
    """A stand-in for dask-jobqueue that starts its workers here; a queue to ask is on no test machine."""
    from distributed import LocalCluster

    asked = {}

    class Stand(LocalCluster):
        def __init__(self, **options: object) -> None:
            asked.update(options)
            here = "127.0.0.1"
            super().__init__(n_workers=0, threads_per_worker=1, host=here, dashboard_address=f"{here}:0")

        def scale(self, n: int) -> None:  # type: ignore[override]
            asked.setdefault("scale", n)  # it is scaled down again as it closes
            super().scale(n)

    module = ModuleType("dask_jobqueue")
    module.SLURMCluster = Stand  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "dask_jobqueue", module)
    (tmp_path / "queue.yaml").write_text("cluster: slurm\nworkers: 1\noptions: {queue: short}")
    told: list[str] = []
    with open_pool(str(tmp_path / "queue.yaml"), tell=told.append) as pool:
        [(_, number)] = run_jobs(pool, pool_jobs.process_number, [None])
        assert number != pool_jobs.process_number(None, None)
    assert asked == {"queue": "short", "scale": 1}
    assert told[-1].startswith("Cluster: 1 worker at tcp://127.0.0.1:")


def test_a_queue_that_refuses_is_quoted(tmp_path, monkeypatch):
    module = ModuleType("dask_jobqueue")

    def refuse(**options: object) -> None:
        raise ValueError("You must specify how much cores to use per job")

    module.SLURMCluster = refuse  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "dask_jobqueue", module)
    (tmp_path / "queue.yaml").write_text("cluster: slurm")
    refused("slurm refuses: You must specify how much cores", str(tmp_path / "queue.yaml"))
