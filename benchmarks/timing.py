"""How the benchmarks take their times."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch


def least_work(action: Callable[[], object], repeats: int = 9) -> float:
    """Least processor time of several runs after a first one that does not count, in milliseconds.

    On a machine that does other things, too, the shortest time favours what is short; give torch one thread.
    """
    action()
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        action()
        times.append(time.process_time() - begun)
    return 1e3 * min(times)


def best(action: Callable[[], object], repeats: int = 9) -> float:
    """Shortest of several runs after a first one that does not count, in milliseconds."""
    action()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        action()
        times.append(time.perf_counter() - begun)
    return 1e3 * min(times)


@contextmanager
def one_thread() -> Iterator[None]:
    """Give torch, and all that follows its number of threads, one thread for the block."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
