"""How long a run will take, and how often it should be shown; no Qt in here."""

from __future__ import annotations

import time

FRAME_SECONDS = 0.095
"""Time between two pictures of a run that plays, so that ten a second are shown; they are taken when a substep ends."""

RUN_SECONDS = 1.0
"""The same of a run at full speed, which is not there to be watched: a picture and its curves take an eighth of a core
for a second without a graphics card. Longer where painting is slow."""

MEASURE_SECONDS = 0.1
"""Shortest time between two of them with all numbers, some of which cost as much as a step of the run."""

_SHARE_OF_PICTURES, _SHARE_OF_NUMBERS = 0.08, 0.04  # of the run's computing time that looking at it may take
_SHARE_OF_PAINTING = 0.1  # of the time of a run at full speed that the window may take to paint it
_LONGEST_WAIT = 2.0  # seconds after which even a very slow machine shows that the run goes on
_LONGEST_PAINTING_WAIT = 4.0  # the same where it is the window that is slow
_SMOOTHED = 30  # substeps that the mean looks back on: some iterations, as their substeps differ
_ENOUGH = 3  # substeps after which an estimate is better than none


class TimeLeft:
    """Running mean of the seconds that a substep takes."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._count = 0

    def count(self, seconds: float) -> None:
        """Note a substep."""
        self._count += 1
        self._seconds += (seconds - self._seconds) / min(self._count, _SMOOTHED)

    def of(self, substeps: int) -> float | None:
        """Seconds that so many more will take, once a few are known."""
        return None if self._count < _ENOUGH else substeps * self._seconds


class FrameRate:
    """Decides when the next picture is due, and the next numbers, so that they take a small share of the time.

    Attributes
    ----------
    painting
        Seconds that the window needs to paint a picture, as it tells.
    """

    def __init__(self) -> None:
        self.painting = 0.0
        self._next_picture = 0.0
        self._next_numbers = 0.0
        self._computed_then = 0.0
        self._latest_numbers = 0.0

    @property
    def numbers_due(self) -> bool:
        """Whether numbers should be taken with the next picture: by what the thread computed, and by the clock."""
        now, computed = time.perf_counter(), time.thread_time()
        return now >= self._latest_numbers or (now >= self._next_numbers and computed >= self._computed_then)

    def due(self, *, whole: bool, watched: bool) -> bool:
        """Whether a picture should be taken now; numbers are taken of whole iterations.

        Parameters
        ----------
        whole
            Whether an iteration has just ended.
        watched
            Whether the run plays, so that every new number is worth a picture, too.
        """
        return time.perf_counter() >= self._next_picture or (watched and whole and self.numbers_due)

    def took_numbers(self, begun: float, cost: float) -> None:
        """Note numbers that were taken without a picture."""
        self._next_numbers = begun + MEASURE_SECONDS
        self._computed_then = time.thread_time() + cost / _SHARE_OF_NUMBERS
        self._latest_numbers = begun + _LONGEST_WAIT

    def took(self, begun: float, cost: float, measured: bool, watched: bool = True) -> None:
        """Note a picture.

        Parameters
        ----------
        begun
            When it was begun, by `time.perf_counter`.
        cost
            Seconds of computing: what a busy machine adds to those on the clock is no reason to show less.
        measured
            Whether numbers were taken with it.
        watched
            Whether the run plays.
        """
        if measured:
            self.took_numbers(begun, cost)
        interval = FRAME_SECONDS if measured else min(max(FRAME_SECONDS, cost / _SHARE_OF_PICTURES), _LONGEST_WAIT)
        self._next_picture = max(self._next_picture, begun - interval) + interval
        if not watched:
            painting = min(self.painting / _SHARE_OF_PAINTING, _LONGEST_PAINTING_WAIT)
            self._next_picture = begun + max(interval, RUN_SECONDS, painting)
