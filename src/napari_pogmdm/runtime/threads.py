"""Threads: compiled work on torch's own OpenMP threads, and giving them back.

After each of its operations torch's OpenMP threads wait a while, spinning, for the next one. A second pool of threads
has to share the cores with them and takes twice as long; so work that is not torch's own is given to the same threads.
And every Python thread that calls torch has OpenMP threads of its own, which it keeps: once there are more of them than
cores they no longer spin but sleep, and waking them up costs a third of the speed. Where torch has no such runtime to
be found, an ordinary pool takes the work, and nothing has to be given back.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

_Region = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_PAUSE_SOFT = 1  # omp_pause_soft of OpenMP 5.0: threads end, settings stay


def side_by_side(jobs: Sequence[Callable[[], None]], threads: int) -> None:
    """Call all jobs, on so many threads at the most; they gain where they let go of the interpreter.

    The first exception is raised when all have ended.
    """
    threads = min(threads, len(jobs))
    if threads <= 1:
        for job in jobs:
            job()
        return
    runtime = _openmp()
    if runtime is None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda job: job(), jobs))
        return
    waiting = list(reversed(jobs))
    failures: list[BaseException] = []
    came: list[int] = []

    def region(_: int | None) -> None:
        try:
            came.append(threading.get_ident())
            while True:
                try:
                    job = waiting.pop()  # safe between threads
                except IndexError:
                    return
                job()
        except BaseException as error:  # nothing may travel through the foreign frames below
            failures.append(error)

    runtime.GOMP_parallel(_Region(region), None, threads, 0)
    while waiting:
        waiting.pop()()
    if failures:
        raise failures[0]
    if threading.get_ident() not in came:  # an interrupt came before anything here could catch it
        raise KeyboardInterrupt


def rest() -> None:
    """Give back the threads that torch keeps for the calling thread; its next operation gets new ones."""
    runtime = _openmp() if "torch" in sys.modules else None
    pause = getattr(runtime, "omp_pause_resource_all", None)
    if pause is not None:
        pause(_PAUSE_SOFT)


@cache
def _openmp() -> Any:
    """Find the GNU OpenMP runtime that torch was loaded with; ``None`` elsewhere."""
    import torch

    for path in sorted((Path(torch.__file__).parent / "lib").glob("libgomp*.so*")):
        try:
            runtime = ctypes.CDLL(str(path))
            runtime.GOMP_parallel.argtypes = (_Region, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
            runtime.GOMP_parallel.restype = None
        except (OSError, AttributeError):
            continue
        return runtime
    return None
