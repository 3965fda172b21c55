"""Whether several threads are worth it at the moment, judged by their share of the processors."""

from __future__ import annotations

import threading
import time

_ENOUGH_TO_STOP = 0.12  # seconds side by side before one thread goes on alone: longer than from one picture of a run
# that plays to the next, as painting it without a graphics card takes all processors for a moment
_ENOUGH_TO_TRY = 0.01  # the same of a trial, while the machine is known to be busy; a time slice of Linux is shorter
_WORTH = 1.1  # processors that several threads must get together; below, one that waits for nobody is as fast
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 3.0  # seconds on one thread; a trial of 10 ms then costs a few per cent at most


class Pace:
    """Counts the processors that work side by side really had, and says when one thread does better.

    Threads that work together wait for the slowest of them. Beside another busy program that is one which has lost its
    processor, and all wait until the system gives it back: two threads are then slower than one. So what they got is
    measured, as processor time over time passed, and where it is hardly more than one processor, one thread works
    alone for a while. Then several are tried again, shortly; the longer the machine stays busy, the more seldom. What
    takes the processors for a moment only, such as a picture that is painted, is no reason to stop.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._work = self._passed = 0.0
        self._busy = False
        self._until = 0.0
        self._pause = _FIRST_PAUSE

    def several(self) -> bool:
        """Whether to use several threads now."""
        return time.perf_counter() >= self._until

    def note(self, work: float, passed: float) -> None:
        """Count one round of work side by side.

        Parameters
        ----------
        work
            Processor time of all threads together, in seconds.
        passed
            Seconds from its begin to its end.
        """
        with self._lock:
            self._work += work
            self._passed += passed
            if self._passed < (_ENOUGH_TO_TRY if self._busy else _ENOUGH_TO_STOP):
                return
            gained = self._work / self._passed
            self._work = self._passed = 0.0
            self._busy = gained < _WORTH
            if not self._busy:
                self._pause = _FIRST_PAUSE
                return
            self._until = time.perf_counter() + self._pause
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
