"""The pictures of a run that the window looks at, made as often as they are worth their time; no Qt in here."""

from __future__ import annotations

import time

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.gui.background.runner_timing import FrameRate
from napari_pogmdm.runs.frames import found_noise, make_frame
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.run import Run
from napari_pogmdm.runs.status import Frame


class FrameMaker:
    """Makes frames of a run, and knows when the next one is due."""

    def __init__(self) -> None:
        self._rate = FrameRate()
        self._noise = 0.0
        self._abandoned: FloatImage | None = None

    def due(self, run: Run) -> bool:
        """Whether a run that goes on should be shown now."""
        return self._rate.due(whole=run.state.substep == 0)

    def keep_abandoned(self, run: Run) -> None:
        """Before a run goes on from an earlier state, make the image that it abandons, if it will be different."""
        if run.forks:
            frame = make_frame(run.context, run.history.newest, {Role.IMAGE}, measured=False)
            self._abandoned = frame.arrays[Role.IMAGE]

    def make(self, run: Run, wanted: frozenset[str], *, traced: bool, passing: bool) -> tuple[Frame, bool]:
        """Make a frame of the current state; tells also whether it was measured, so that it belongs to the trace.

        Parameters
        ----------
        run
            What is shown.
        wanted
            Roles of the pictures.
        traced
            Whether the moment may become a point of the trace.
        passing
            Whether the run goes on at once: numbers that cost as much as a step are left out where they are not due.
        """
        begun, computed = time.perf_counter(), time.thread_time()
        whole = run.state.substep == 0  # the numbers of different substeps do not make a curve
        measured = traced and (not passing or (whole and self._rate.numbers_due))
        if measured or not passing:
            self._noise = found_noise(run.context, run.state)
        frame = make_frame(run.context, run.state, wanted, measured, self._noise)
        if self._abandoned is not None:
            arrays = {**frame.arrays, Role.BEFORE_FORK: self._abandoned}
            frame, self._abandoned = Frame(arrays, frame.point), None
        self._rate.took(begun, time.thread_time() - computed, measured)
        return frame, measured
