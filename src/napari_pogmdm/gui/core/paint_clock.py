"""How long the window takes to paint a picture of a run, from its arrival to the screen."""

from __future__ import annotations

import time

from qtpy.QtWidgets import QWidget

_SMOOTHED = 0.3  # weight of the newest time in the mean: a few pictures back


class PaintClock:
    """Measures while pictures come.

    Parameters
    ----------
    canvas
        The widget that paints; one that does not tell when it has painted is not measured.

    Attributes
    ----------
    seconds
        That a picture takes, as a running mean; 0 before the first.
    """

    def __init__(self, canvas: QWidget) -> None:
        self.seconds = 0.0
        self._begun: float | None = None
        painted = getattr(canvas, "frameSwapped", None)
        if painted is not None:
            painted.connect(self._painted)

    def begin(self) -> float:
        """Note that a picture is about to be shown, and tell the seconds that those before took."""
        self._begun = time.perf_counter()
        return self.seconds

    def _painted(self) -> None:
        if self._begun is not None:
            took = time.perf_counter() - self._begun
            self.seconds += (took - self.seconds) * (_SMOOTHED if self.seconds else 1.0)
            self._begun = None
