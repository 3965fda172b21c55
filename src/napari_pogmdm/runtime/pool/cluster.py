"""Workers of a dask cluster; a job whose worker dies runs again on another one."""

from __future__ import annotations

import logging
import queue
import secrets
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from distributed import Client, Future, KilledWorker, WorkerPlugin, get_worker
from distributed.worker import thread_state

from napari_pogmdm import __version__
from napari_pogmdm.errors import InputError
from napari_pogmdm.runtime.pool.pool import Failed, Lost, Work, asking

_GLANCE = 1.0  # seconds between looks at whether there are workers at all
_BITS_DEPEND_ON = ("numpy", "torch", "numba", "scipy")


class Cluster:
    """A dask cluster that somebody has connected to.

    Parameters
    ----------
    client
        Of dask; whoever made it closes it.
    patience
        Seconds to wait for workers when there is none; ``None`` waits as long as it takes, as in a queue of jobs.
    tell
        Told, in a sentence, what the user should know.
    """

    here = False

    def __init__(self, client: Client, patience: float | None, tell: Callable[[str], None]) -> None:
        self._client, self._patience, self._tell = client, patience, tell
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is told in our own words
        self._await_workers()
        self._check_versions()

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return str(self._client.scheduler.address)

    @property
    def places(self) -> int:
        """Threads of all workers that are there now."""
        return max(1, sum(self._client.nthreads().values()))

    def sees(self, files: Iterable[str]) -> bool:
        """See `Pool.sees`."""
        known = {str(Path(file).resolve()): stamp for file in files if (stamp := _stamp(file)) is not None}
        return not known or all(self._client.run(_all_alike, known).values())

    @contextmanager
    def crew(self, work: Work, common: Any) -> Iterator[_ClusterCrew]:
        """See `Pool.crew`."""
        name = f"napari-pogmdm-{secrets.token_hex(8)}"
        self._client.register_plugin(_Common(common), name=name)
        crew = _ClusterCrew(self._client, self, name, work)
        try:
            yield crew
        finally:
            with suppress(Exception):  # the cluster may be what has failed
                crew.cancel()
                self._client.unregister_worker_plugin(name)

    def check_workers(self) -> None:
        """Wait for workers if there is none; see ``patience``."""
        if not self._client.nthreads():
            self._await_workers()

    def _await_workers(self) -> None:
        began, told = time.monotonic(), False
        while not self._client.nthreads():
            if self._client.status != "running":
                raise InputError("--cluster: the connection to the scheduler is lost; is it still running?")
            if self._patience is not None and time.monotonic() - began > self._patience:
                raise InputError(
                    f"--cluster: {self.address} has no workers; start some with 'dask worker {self.address}'."
                )
            if not told:
                self._tell("Waiting for the cluster's first worker; Ctrl-C gives up.")
                told = True
            with suppress(TimeoutError):
                self._client.wait_for_workers(1, timeout=_GLANCE)

    def _check_versions(self) -> None:
        """Refuse workers with another version of this program; tell of others on which bits depend."""
        ways = f"install napari-pogmdm {__version__} there"
        try:
            found: dict[str, dict[str, str]] = self._client.run(_versions)
        except Exception as error:
            raise InputError(f"--cluster: workers cannot load napari-pogmdm ({error}); {ways}.") from error
        here = _versions()
        for worker, there in found.items():
            if there["napari-pogmdm"] != here["napari-pogmdm"]:
                raise InputError(f"--cluster: worker {worker} has napari-pogmdm {there['napari-pogmdm']}; {ways}.")
        others = sorted({name for there in found.values() for name in here if there.get(name) != here[name]})
        if others:
            self._tell(f"Workers have other versions of {', '.join(others)}: results may differ in the last bits.")


class _Common(WorkerPlugin):  # type: ignore[misc]
    """What all jobs have in common: dask sends it to every worker once, to those that come later, too."""

    def __init__(self, common: Any) -> None:
        self.common = common

    def setup(self, worker: Any) -> None:
        """Take one thread of the machine a job: jobs run side by side, and bits must not depend on the machine."""
        torch.set_num_threads(1)


class _ClusterCrew:
    """Jobs on a cluster.

    Dask gives up on a job after its workers died a few times; but where two share a worker, the other one may be to
    blame. So such a job is tried again while no other is out, and lost only if that kills its worker, too.
    """

    def __init__(self, client: Client, cluster: Cluster, name: str, work: Work) -> None:
        self._client, self._cluster, self._name, self._work = client, cluster, name, work
        self._out: dict[Future, tuple[int, Any]] = {}
        self._done: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._suspects: deque[tuple[int, Any]] = deque()
        self._alone: int | None = None
        self._places, self._counted = cluster.places, time.monotonic()

    @property
    def places(self) -> int:
        if self._suspects or self._alone is not None:
            return 0
        if time.monotonic() - self._counted > _GLANCE:
            self._places, self._counted = self._cluster.places, time.monotonic()
        return self._places

    def send(self, number: int, job: Any) -> None:
        key = f"{self._name}-{number}{'' if self._alone is None else '-alone'}"
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # a slice that workers cannot read themselves
            future = self._client.submit(_call, self._name, self._work, job, key=key, pure=False, priority=-number)
        self._out[future] = number, job
        future.add_done_callback(self._done.put)

    def receive(self) -> Sequence[tuple[int, Any]]:
        while True:
            if self._suspects and not self._out:
                self._alone = self._suspects[0][0]
                self.send(*self._suspects.popleft())
            try:
                future = self._done.get(timeout=_GLANCE)
            except queue.Empty:
                self._cluster.check_workers()
                continue
            number, job = self._out.pop(future)
            alone, self._alone = self._alone == number, None
            try:
                return [(number, future.result())]
            except KilledWorker:
                if alone:
                    return [(number, Lost(job, "its worker was killed each time"))]
                self._suspects.append((number, job))
            except Exception as error:
                return [(number, Failed(self._lost_or(future, error)))]

    def cancel(self) -> None:
        if self._out:
            self._client.cancel(list(self._out), force=True)

    def _lost_or(self, future: Future, error: Exception) -> Exception:
        """Say that the scheduler is gone, where that is what happened."""
        if future.cancelled() or (isinstance(error, OSError) and self._client.status != "running"):
            return InputError("--cluster: the connection to the scheduler is lost; is it still running?")
        return error


def _call(name: str, work: Work, job: Any) -> Any:
    """Do a job, on a worker."""
    worker = get_worker()
    key = thread_state.key

    def cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    with asking(cancelled):
        return work(job, worker.plugins[name].common)


def _versions() -> dict[str, str]:
    return {"napari-pogmdm": __version__, **{name: version(name) for name in _BITS_DEPEND_ON}}


def _stamp(file: str) -> tuple[int, int] | None:
    """Size and time of a file, ``None`` for a name that is none."""
    try:
        facts = Path(file).stat()
    except (OSError, ValueError):
        return None
    return facts.st_size, facts.st_mtime_ns


def _all_alike(files: dict[str, tuple[int, int]]) -> bool:
    return all(_stamp(file) == stamp for file, stamp in files.items())
