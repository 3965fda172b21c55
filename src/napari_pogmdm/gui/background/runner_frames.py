"""The pictures of a run that the window shows, made as often as they are worth their time; no Qt in here."""

from __future__ import annotations

import time

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.gui.background.runner_timing import FrameRate
from napari_pogmdm.runs.frames import found_noise, make_frame
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.run import Run
from napari_pogmdm.runs.status import Frame, TracePoint


class FrameMaker:
    """Makes frames of a run, and knows when the next one is due.

    Attributes
    ----------
    rate
        When that is.
    """

    def __init__(self) -> None:
        self.rate = FrameRate()
        self._points: list[TracePoint] = []
        self._measured: Run | None = None
        self._watched = True
        self._noise = 0.0
        self._abandoned: FloatImage | None = None

    def due(self, run: Run, *, watched: bool) -> bool:
        """Whether a run that goes on should be shown now; where only numbers are due, they wait for the next picture.

        Parameters
        ----------
        run
            What goes on.
        watched
            Whether it plays; at full speed pictures are rarer.
        """
        self._watched = watched
        whole = run.state.substep == 0
        if self.rate.due(whole=whole, watched=watched):
            return True
        if self._numbers_due(run):
            begun, computed = time.perf_counter(), time.thread_time()
            self._noise = found_noise(run.context, run.state)
            self._keep(run, make_frame(run.context, run.state, set(), measured=True, noise=self._noise).point)
            self.rate.took_numbers(begun, time.thread_time() - computed)
        return False

    def keep_abandoned(self, run: Run) -> None:
        """Before a run goes on from an earlier state, make the image that it abandons, if it will be different."""
        if run.forks:
            frame = make_frame(run.context, run.history.newest, {Role.IMAGE}, measured=False)
            self._abandoned = frame.arrays[Role.IMAGE]

    def make(
        self, run: Run, wanted: frozenset[str], *, traced: bool, passing: bool
    ) -> tuple[Frame, tuple[TracePoint, ...]]:
        """Make a frame of the current state, and give the points of the trace since the last one.

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
        measured = traced and (not passing or self._numbers_due(run))
        if measured or not passing:
            self._noise = found_noise(run.context, run.state)
        frame = make_frame(run.context, run.state, wanted, measured, self._noise)
        if self._abandoned is not None:
            arrays = {**frame.arrays, Role.BEFORE_FORK: self._abandoned}
            frame, self._abandoned = Frame(arrays, frame.point), None
        self.rate.took(begun, time.thread_time() - computed, measured, self._watched)
        if measured:
            self._keep(run, frame.point)
        points, self._points = (tuple(self._points) if self._measured is run else ()), []
        return frame, points

    def _numbers_due(self, run: Run) -> bool:
        """Whether it is time for numbers: different substeps make no curve, and all chains have a first one."""
        return run.state.substep == 0 and (self.rate.numbers_due or run.state.iteration == 1)

    def _keep(self, run: Run, point: TracePoint) -> None:
        if self._measured is not run:
            self._measured, self._points = run, []
        self._points.append(point)
