"""How long a run will take, and how often it should be looked at."""

from __future__ import annotations

import time

FRAME_SECONDS = 0.095
"""Time between two pictures of a run that plays; they are taken when a substep ends."""

MEASURE_SECONDS = 0.1
"""Shortest time between two of them with all figures, some of which cost as much as a step of the run."""

_SHARE_OF_PICTURES, _SHARE_OF_FIGURES = 0.08, 0.05
_LONGEST_WAIT = 2.0


class TimeLeft:
    """Running mean of the seconds that a substep takes."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._count = 0

    def count(self, seconds: float) -> None:
        """Note a substep."""
        self._count += 1
        self._seconds += (seconds - self._seconds) / min(self._count, 30)

    def left(self, substeps: int) -> float | None:
        """Seconds that so many more will take, once a few are known."""
        return None if self._count < 3 else substeps * self._seconds


class FrameRate:
    """Decides when the next picture is due, and the next figures, so that they take a small share of the time."""

    def __init__(self) -> None:
        self._next_picture = 0.0
        self._next_figures = 0.0

    @property
    def figures_due(self) -> bool:
        """Whether figures should be taken with the next picture."""
        return time.perf_counter() >= self._next_figures

    def due(self, *, whole: bool) -> bool:
        """Whether a picture should be taken now; figures are taken of whole iterations."""
        return time.perf_counter() >= self._next_picture or (whole and self.figures_due)

    def took(self, begun: float, cost: float, measured: bool) -> None:
        """Note a picture that was begun then, with or without figures.

        ``cost`` is in seconds of computing: what a busy machine adds to those on the clock is no reason to show less.
        """
        if measured:
            self._next_figures = begun + min(max(MEASURE_SECONDS, cost / _SHARE_OF_FIGURES), _LONGEST_WAIT)
        interval = FRAME_SECONDS if measured else min(max(FRAME_SECONDS, cost / _SHARE_OF_PICTURES), _LONGEST_WAIT)
        self._next_picture = max(self._next_picture, begun - interval) + interval
