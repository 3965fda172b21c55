"""Processes of this machine, of which one may be killed without harm to the others."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from napari_pogmdm.runtime.pool.pool import Failed, Lost, Work

TRIES = 2  # of a job whose process was killed; by chance once, by its own doing each time


@dataclass(frozen=True)
class Processes:
    """So many processes, which start when there is a job for them.

    Attributes
    ----------
    places
        How many.
    prepare
        Called first in each of them.
    """

    places: int
    prepare: Callable[[], None] | None = None
    here = False

    @contextmanager
    def crew(self, work: Work, common: Any) -> Iterator[_ProcessCrew]:
        """See `Pool.crew`."""
        crew = _ProcessCrew(self, work, common)
        try:
            yield crew
        finally:
            crew.end()

    def sees(self, files: Iterable[str]) -> bool:
        """See `Pool.sees`."""
        return True


@dataclass(eq=False)
class _Hand:
    """A process, the way to it, and what it works on: number and job, and how often that was tried."""

    process: BaseProcess
    connection: Connection
    number: int = 0
    job: Any = None
    tries: int = 0


class _ProcessCrew:
    def __init__(self, pool: Processes, work: Work, common: Any) -> None:
        self._pool, self._start = pool, (work, common, pool.prepare)
        self._waiting: deque[tuple[int, Any, int]] = deque()
        self._hands: list[_Hand] = []

    @property
    def places(self) -> int:
        return self._pool.places

    def send(self, number: int, job: Any) -> None:
        self._waiting.append((number, job, 0))

    def receive(self) -> Sequence[tuple[int, Any]]:
        done: list[tuple[int, Any]] = []
        while not done:
            while self._waiting and (hand := self._free()) is not None:
                hand.number, hand.job, tried = self._waiting.popleft()
                hand.tries = tried + 1
                hand.connection.send(hand.job)
            done = [found for hand in self._ready() for found in self._take(hand)]
        return done

    def end(self) -> None:
        for hand in self._hands:
            hand.process.terminate()
            hand.connection.close()

    def _take(self, hand: _Hand) -> Iterator[tuple[int, Any]]:
        try:
            result = hand.connection.recv()
        except (EOFError, OSError):
            self._hands.remove(hand)
            hand.process.join()
            if hand.tries < TRIES:
                self._waiting.appendleft((hand.number, hand.job, hand.tries))
                return
            code = hand.process.exitcode
            yield hand.number, Lost(hand.job, f"its process was killed each time (exit code {code})")
        else:
            hand.tries, hand.job = 0, None
            yield hand.number, result

    def _free(self) -> _Hand | None:
        """Give a process that has nothing to do, or start one; ``None`` if there are enough."""
        for hand in self._hands:
            if not hand.tries:
                return hand
        if len(self._hands) >= self._pool.places:
            return None
        context = get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(there, *self._start), daemon=True)
        process.start()
        there.close()
        self._hands.append(_Hand(process, here))
        return self._hands[-1]

    def _ready(self) -> list[_Hand]:
        busy = {hand.connection: hand for hand in self._hands if hand.tries}
        return [busy[connection] for connection in wait(list(busy)) if isinstance(connection, Connection)]


def _serve(connection: Connection, work: Work, common: Any, prepare: Callable[[], None] | None) -> None:
    """Work until nobody asks any more, or the process that asked is gone."""
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    if prepare is not None:
        prepare()
    while True:
        try:
            job = connection.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        try:
            result = work(job, common)
        except Exception as error:
            result = Failed(error)
        connection.send(result)


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
