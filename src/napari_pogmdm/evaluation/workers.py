"""Cells computed side by side, in processes of which one may be killed without harm to the others."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

_TRIES = 2  # of a cell whose process was killed; by chance once, by its own doing each time


@dataclass(frozen=True, eq=False)
class Lost:
    """A job whose process was killed each time it was tried."""

    job: Any
    exit_code: int | None


@dataclass(eq=False)
class _Hand:
    """A process, the way to it, and what it works on: a job, and how often that was tried."""

    process: BaseProcess
    connection: Connection
    job: Any = None
    tries: int = 0


def in_processes(
    work: Callable[[Any], Any], jobs: Sequence[Any], processes: int, prepare: Callable[[], None]
) -> Iterator[Any]:
    """Compute ``work(job)`` for all jobs; results come in the order in which they are done.

    Parameters
    ----------
    work
        A function that a process can import.
    jobs
        What it is called with.
    processes
        How many to run side by side.
    prepare
        Called first in every process.

    Yields
    ------
    A result, or `Lost`.
    """
    waiting = deque((job, 0) for job in jobs)
    hands: list[_Hand] = []
    try:
        while waiting or any(hand.tries for hand in hands):
            for hand in _free(hands, min(processes, len(waiting)), work, prepare):
                hand.job, done = waiting.popleft()
                hand.tries = done + 1
                hand.connection.send(hand.job)
            for hand in _ready(hands):
                try:
                    result = hand.connection.recv()
                except (EOFError, OSError):
                    hands.remove(hand)
                    hand.process.join()
                    if hand.tries < _TRIES:
                        waiting.appendleft((hand.job, hand.tries))
                    else:
                        yield Lost(hand.job, hand.process.exitcode)
                else:
                    hand.tries = 0
                    yield result
    finally:
        for hand in hands:
            hand.process.terminate()
            hand.connection.close()


def _free(hands: list[_Hand], most: int, work: Callable[[Any], Any], prepare: Callable[[], None]) -> Iterator[_Hand]:
    """Give so many processes that have nothing to do, started where there are too few."""
    idle = [hand for hand in hands if not hand.tries]
    busy = len(hands) - len(idle)
    for number in range(max(0, most - busy)):
        if number < len(idle):
            yield idle[number]
            continue
        context = get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(there, work, prepare), daemon=True)
        process.start()
        there.close()
        hands.append(_Hand(process, here))
        yield hands[-1]


def _ready(hands: list[_Hand]) -> list[_Hand]:
    busy = {hand.connection: hand for hand in hands if hand.tries}
    return [busy[connection] for connection in wait(list(busy)) if isinstance(connection, Connection)]


def _serve(connection: Connection, work: Callable[[Any], Any], prepare: Callable[[], None]) -> None:
    """Work until nobody asks any more, or the process that asked is gone."""
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    prepare()
    while True:
        try:
            job = connection.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        connection.send(work(job))


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
