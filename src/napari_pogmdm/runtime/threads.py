"""Threads: work in fixed blocks on torch's own OpenMP threads, and giving them back.

Torch cuts its arrays into as many pieces as there are threads, and rounds differently where it cuts. So that a result
has the same bits on any number of threads, torch computes on one thread inside `fixed_blocks`, and what takes time is
cut into blocks that depend on nothing but the data, which threads take as they come free (`side_by_side`).

After each of its operations torch's OpenMP threads wait a while, spinning, for the next one. A second pool of threads
has to share the cores with them and takes twice as long; so blocks are given to the same threads. And every Python
thread that calls torch has OpenMP threads of its own, which it keeps: once there are more of them than cores they no
longer spin but sleep, and waking them up costs a third of the speed. Where torch has no such runtime to be found, an
ordinary pool takes the work, and nothing has to be given back.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from napari_pogmdm.runtime.pace import Pace

_Region = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_PAUSE_SOFT = 1  # omp_pause_soft of OpenMP 5.0: threads end, settings stay
_PACE = Pace()


class _Own(threading.local):
    """Threads that the calling thread may use; ``None`` outside `fixed_blocks`."""

    count: int | None = None


_OWN = _Own()


@contextmanager
def fixed_blocks() -> Iterator[None]:
    """Have torch compute on the calling thread alone, and give its threads to `side_by_side`; also a decorator."""
    if _OWN.count is not None:
        yield
        return
    import torch

    _OWN.count = torch.get_num_threads()
    try:
        if _OWN.count > 1:
            _set_threads(1)
        yield
    finally:
        if _OWN.count > 1:
            _set_threads(_OWN.count)
        _OWN.count = None


def thread_count() -> int:
    """How many threads `side_by_side` may use: as many as torch was allowed, ``torch.set_num_threads``."""
    import torch

    return _OWN.count or torch.get_num_threads()


def side_by_side(jobs: Sequence[Callable[[], None]], threads: int | None = None) -> None:
    """Call all jobs, torch on one thread in each; they gain where they let go of the interpreter.

    On a busy machine, where threads would only wait for each other, the calling thread does all of them.

    Parameters
    ----------
    jobs
        In any order; the first exception is raised when all have ended.
    threads
        At the most; by default `thread_count`.
    """
    with fixed_blocks():
        threads = min(thread_count() if threads is None else threads, len(jobs))
        if threads <= 1 or not _PACE.several():
            for job in jobs:
                job()
        else:
            _share_out(jobs, threads)


def _share_out(jobs: Sequence[Callable[[], None]], threads: int) -> None:
    waiting = list(reversed(jobs))
    failures: list[BaseException] = []
    came: list[int] = []
    work: list[float] = []

    def region(_: int | None) -> None:
        try:  # all of it, as an interrupt may come anywhere
            came.append(threading.get_ident())
            begun = time.thread_time()
            while True:
                try:
                    job = waiting.pop()  # safe between threads
                except IndexError:
                    work.append(time.thread_time() - begun)
                    return
                job()
        except BaseException as error:  # nothing may travel through the foreign frames below
            failures.append(error)

    begun = time.perf_counter()
    runtime = _openmp()
    if runtime is None:
        with ThreadPoolExecutor(threads, initializer=_alone) as pool:
            list(pool.map(region, range(threads)))
    else:
        runtime.GOMP_parallel(_Region(region), None, threads, 0)
    while waiting:
        waiting.pop()()
    _PACE.note(sum(work), time.perf_counter() - begun)
    if failures:
        raise failures[0]
    if runtime is not None and threading.get_ident() not in came:  # an interrupt came before it could be caught
        raise KeyboardInterrupt


def rest() -> None:
    """Give back the threads that torch keeps for the calling thread; its next operation gets new ones."""
    runtime = _openmp() if "torch" in sys.modules else None
    pause = getattr(runtime, "omp_pause_resource_all", None)
    if pause is not None:
        pause(_PAUSE_SOFT)


def _alone() -> None:
    """Let torch use no more threads than the calling one, which belongs to a pool."""
    import torch

    torch.get_num_threads()
    _set_threads(1)


def _set_threads(count: int) -> None:
    """Set how many threads torch uses in the calling thread, and, where that can be, in no other.

    ``torch.set_num_threads`` would have threads that begin at this moment keep the number for good.
    """
    import torch

    runtime, multiply = _openmp(), _math_library()
    if runtime is None or multiply is None:
        torch.set_num_threads(count)
        return
    runtime.omp_set_num_threads(count)
    multiply(count)


@cache
def _openmp() -> Any:
    """Find the GNU OpenMP runtime that torch was loaded with; ``None`` elsewhere."""
    import torch

    for path in sorted((Path(torch.__file__).parent / "lib").glob("libgomp*.so*")):
        try:
            runtime = ctypes.CDLL(str(path))
            runtime.GOMP_parallel.argtypes = (_Region, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
            runtime.GOMP_parallel.restype = None
            runtime.omp_set_num_threads.argtypes = (ctypes.c_int,)
        except (OSError, AttributeError):
            continue
        return runtime
    return None


@cache
def _math_library() -> Any:
    """Find how to set the threads of matrix products, which Intel's library counts apart; ``None`` elsewhere."""
    import torch

    try:
        found = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so")).MKL_Set_Num_Threads_Local
    except (OSError, AttributeError):
        return None
    found.argtypes = (ctypes.c_int,)
    return found
