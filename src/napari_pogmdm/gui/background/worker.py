"""Background jobs of which only the newest matters, such as previews; no Qt in here."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.gui.background.notices import Notice, as_notice
from napari_pogmdm.runtime.threads import rest

Result = TypeVar("Result")
Cancel = Callable[[], bool]
"""Tells a job whether its result is still wanted."""

_NOTHING = -1  # instead of a job's number, which counts from 1


@dataclass(frozen=True, eq=False)
class _Ticket:
    """A job with its number; ``done`` takes what ``job`` gives, whatever that is."""

    number: int
    doing: str
    job: Callable[[Cancel], Any]
    done: Callable[[Any], None]


class Worker:
    """One thread that runs one job at a time; a new job replaces the one that waits and cancels the one that runs.

    Results come back when the owner calls `deliver` in its own thread, so callbacks never run in the background.

    Parameters
    ----------
    name
        Of the thread.
    failed
        Called, from `deliver`, with the sentence about a job that failed.
    wake
        Called from the background when there is something to deliver; must be safe to call from any thread.
    """

    def __init__(self, name: str, failed: Callable[[Notice], None], wake: Callable[[], None] | None = None) -> None:
        self._failed = failed
        self._wake = wake or (lambda: None)
        self._waiting = threading.Condition()
        self._next: _Ticket | None = None
        self._newest = 0
        self._running = _NOTHING
        self._closed = False
        self._finished: queue.SimpleQueue[tuple[_Ticket, object, Notice | None]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether a job waits or runs whose result is wanted."""
        with self._waiting:
            return self._running == self._newest or self._next is not None

    def submit(
        self,
        doing: str,
        job: Callable[[Cancel], Result] | Callable[[Cancel], Generator[Result, None, None]],
        done: Callable[[Result], None],
    ) -> None:
        """Run ``job(cancelled)`` in the background, then ``done(result)`` in the thread that delivers.

        Parameters
        ----------
        doing
            Opens the sentence that the user sees if the job fails, such as the name of a file.
        job
            Is given a function that tells whether to stop. Of a generator, each result is handed over as soon as it
            is there.
        done
            Is given the result.
        """
        with self._waiting:
            self._newest += 1
            self._next = _Ticket(self._newest, doing, job, done)
            self._waiting.notify()

    def cancel(self) -> None:
        """Forget the waiting job and ask the running one to stop; nothing of them is delivered."""
        with self._waiting:
            self._newest += 1
            self._next = None

    def deliver(self) -> None:
        """Hand over finished jobs; those that a newer one overtook are dropped."""
        while True:
            try:
                ticket, result, notice = self._finished.get_nowait()
            except queue.Empty:
                return
            if ticket.number != self._newest:
                continue
            if notice is not None:
                self._failed(notice)
                continue
            try:
                ticket.done(result)
            except Exception as error:  # whatever the window makes of it must not stop the window's timer
                self._failed(as_notice(error, ticket.doing))

    def close(self, timeout: float = 2.0) -> None:
        """End the thread."""
        with self._waiting:
            self._closed = True
            self._newest += 1
            self._next = None
            self._waiting.notify()
        self._thread.join(timeout)

    def _loop(self) -> None:
        while True:
            with self._waiting:
                self._running = _NOTHING
                while self._next is None and not self._closed:
                    self._waiting.wait()
                if self._closed:
                    return
                ticket, self._next = self._next, None
                assert ticket is not None
                self._running = ticket.number
            try:
                self._work(ticket)
            except Cancelled:
                continue
            except BaseException as error:  # whatever it is, nobody else would hear of it
                self._finished.put((ticket, None, as_notice(error, ticket.doing)))
            finally:
                rest()
            with self._waiting:
                self._running = _NOTHING
            self._wake()

    def _work(self, ticket: _Ticket) -> None:
        overtaken = self._overtaken(ticket)
        result = ticket.job(overtaken)
        if not isinstance(result, Generator):
            self._finished.put((ticket, result, None))
            return
        for part in result:
            self._finished.put((ticket, part, None))
            self._wake()
            if overtaken():
                raise Cancelled

    def _overtaken(self, ticket: _Ticket) -> Cancel:
        return lambda: ticket.number != self._newest
