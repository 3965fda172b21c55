"""The thread in which a run is stepped: commands go in by a queue, the newest picture comes out of a mailbox.

There is no Qt in here. The window calls `Runner.take` from a timer; commands are applied between substeps.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.gui.background.command_thread import CommandThread, command
from napari_pogmdm.gui.background.notices import UNDER_WAY, Notice, as_notice
from napari_pogmdm.gui.background.runner_frames import FrameMaker
from napari_pogmdm.gui.background.runner_mail import RunMail, Update, status_of
from napari_pogmdm.gui.background.runner_timing import TimeLeft
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.state import Diverged
from napari_pogmdm.runs.roles import SLOW_ROLES, Role
from napari_pogmdm.runs.run import Run
from napari_pogmdm.runs.status import Phase, RunStatus
from napari_pogmdm.runtime.threads import rest

_GOING = {Phase.PLAYING, Phase.RUNNING}


class Runner(CommandThread):
    """Steps runs in the background.

    Parameters
    ----------
    wake
        Called from the background when something important changed; must be safe to call from any thread.

    Attributes
    ----------
    wanted
        Roles of the pictures that are looked at.
    frames
        Makes them, as often as is worth the time.
    """

    def __init__(self, wake: Callable[[], None] | None = None) -> None:
        super().__init__("pogmdm runner")
        self.wanted: frozenset[str] = frozenset({Role.IMAGE})
        self._cancel = threading.Event()
        self._starting = threading.Event()
        self._mail = RunMail(self._status, wake or (lambda: None))
        self._run: Run | None = None
        self._phase = Phase.IDLE
        self._pause_seconds = 0.0
        self._due = 0.0
        self.frames = FrameMaker()
        self._time_left = TimeLeft()
        self._thread.start()

    def take(self) -> Update:
        """Give everything new since the last call."""
        return self._mail.take()

    def start(self, request: RunRequest, phase: Phase = Phase.PAUSED) -> None:
        """Begin a run and go on in the given phase: paused, playing or running."""
        self._cancel.clear()
        self._starting.set()
        self._start(request, phase)
        self._mail.post()

    def cancel(self) -> None:
        """Stop at once, even within a substep, and keep what there is."""
        self._cancel.set()
        self._stop()
        self._mail.post()

    def reset(self) -> None:
        """Forget the run."""
        self._cancel.set()
        self._forget()

    def close(self, timeout: float = 2.0) -> None:
        """End the thread, even within a substep."""
        self._cancel.set()
        super().close(timeout)

    @command
    def play(self, pause_seconds: float = 0.0) -> None:
        """Go on substep by substep, with a pause after each iteration, until the chain ends."""
        self._go_on(Phase.PLAYING, pause_seconds)

    @command
    def run(self) -> None:
        """Go on at full speed through all chains; from an earlier state, a picture of what is abandoned is kept."""
        self._go_on(Phase.RUNNING, 0.0)

    @command
    def pause(self) -> None:
        """Stop after the current substep."""
        self._halt()

    @command
    def step(self, whole_iteration: bool) -> None:
        """Take one substep, or finish the iteration, and stay paused."""
        run = self._run
        if run is None or run.finished:
            return
        self._cancel.clear()
        self._leave_branch(run)
        self._phase = Phase.PLAYING  # a step of a large scan takes long enough to be cancelled
        self._mail.post()
        run.step() if whole_iteration else run.substep()
        self._phase = Phase.PAUSED
        self._show(self._ending(run))

    @command
    def go_to(self, index: int) -> None:
        """Show a kept state; going on from there forgets what came after."""
        self._show_kept(index)

    @command
    def go_by(self, states: int) -> None:
        """Pause and show the kept state so many before (negative) or after the shown one."""
        self._halt()
        if self._run is not None:
            self._show_kept(self._run.history.shown + states)

    @command
    def change(self, name: str, value: object) -> None:
        """Change a live setting from the next substep on."""
        if self._run is None:
            return
        try:
            self._run.change(name, value)
        except InputError as error:
            self._mail.post(notice=as_notice(error, "sampler"))

    @command
    def refresh(self) -> None:
        """Make a fresh picture, for instance because a layer was shown."""
        if self._run is not None:
            self._show(traced=False)

    @command
    def _start(self, request: RunRequest, phase: Phase) -> None:
        self._starting.clear()
        if self._phase.busy:
            self._mail.post(notice=UNDER_WAY)
            return
        self._run = None
        self._phase = Phase.PREPARING
        self._mail.post(restarted=True)
        self._run = Run(request, cancelled=self._cancel.is_set)
        self._time_left = TimeLeft()
        self._phase = phase
        self._due = 0.0
        self._show()

    @command
    def _stop(self) -> None:
        if self._phase.busy:
            self._settle_after_cancel()
        else:
            self._cancel.clear()
            self._mail.post()

    @command
    def _forget(self) -> None:
        self._cancel.clear()
        self._run, self._phase = None, Phase.IDLE
        self._mail.post(restarted=True)

    @command
    def _complete(self) -> None:
        """Make up for what a quick ending left out: slow pictures, and the numbers of where it ended."""
        if self._run is not None and not self._phase.busy:
            self._show()

    def _turn(self) -> None:
        try:
            super()._turn()
        except Cancelled:
            if not self._closed.is_set():
                self._settle_after_cancel()

    def _next_turn(self) -> float | None:
        if self._phase in _GOING:
            return self._due
        rest()
        return None

    def _go_on(self, phase: Phase, pause_seconds: float) -> None:
        if self._run is None or self._run.finished:
            return
        self._cancel.clear()
        self._leave_branch(self._run)
        self._phase, self._pause_seconds, self._due = phase, pause_seconds, 0.0
        self._mail.post()

    def _halt(self) -> None:
        if self._phase in _GOING:
            self._phase = Phase.PAUSED
            if self._run is not None:
                self._run.keep()
            self._show()

    def _show_kept(self, index: int) -> None:
        if self._run is None or self._phase in _GOING:
            return
        self._run.go_to(index)
        self._phase = Phase.FINISHED if self._run.finished else Phase.PAUSED
        self._show(traced=False)

    def _advance(self) -> None:
        run = self._run
        assert run is not None  # or nothing would go on
        began, playing = time.perf_counter(), self._phase is Phase.PLAYING
        run.substep(keep=False)
        self._time_left.count(time.perf_counter() - began)
        if playing and run.state.substep == 0:
            self._due = time.perf_counter() + self._pause_seconds
        result = self._ending(run)
        if playing and run.chain_finished and self._phase is Phase.PLAYING:
            self._phase = Phase.PAUSED
        waits = playing and self._pause_seconds > 0 and run.state.substep == 0
        ended = not self._phase.busy or run.chain_finished or waits
        if ended or self.frames.due(run, watched=playing):
            self._show(result, passing=not ended)

    def _ending(self, run: Run) -> Reconstruction | None:
        """Notice the end of a run and give its result; it is posted together with the last picture."""
        if not run.finished:
            return None
        self._phase = Phase.FINISHED
        return run.result(stopped=False)

    def _settle_after_cancel(self) -> None:
        """Keep what a cancelled run has."""
        self._cancel.clear()
        if self._run is None:
            self._phase = Phase.IDLE
            self._mail.post()
            return
        self._run.settle()
        self._phase = Phase.STOPPED
        self._show(self._run.result(stopped=True), traced=False, without=SLOW_ROLES)
        self._complete()

    def _leave_branch(self, run: Run) -> None:
        """Before a run goes on from an earlier state, keep a picture of what it abandons, and say that it does."""
        self.frames.keep_abandoned(run)
        if run.behind:
            self._mail.post(forked=(run.chain, run.state.iteration, run.state.substep))

    def _fail(self, error: BaseException) -> None:
        """Say what happened, once, and keep what there is, as far as that can still be had."""
        run, notice = self._run, as_notice(error, "sampler")
        self._cancel.clear()
        if run is None:
            self._phase = Phase.IDLE
            self._mail.post(notice=notice)
            return
        going, self._phase = self._phase.busy, Phase.STOPPED if self._phase.busy else self._phase
        if isinstance(error, Diverged):
            run.state = error.state
        if going:
            with suppress(BaseException):  # the same trouble once more, of which the sentence tells already
                run.settle()
                self._show(run.result(stopped=True), traced=False, without=SLOW_ROLES, notice=notice)
                return
        self._mail.post(notice=notice)

    def _show(
        self,
        result: Reconstruction | None = None,
        *,
        traced: bool = True,
        passing: bool = False,
        without: frozenset[str] = frozenset(),
        notice: Notice | None = None,
    ) -> None:
        """Put a picture of the current state into the mailbox; a passing one waits until the last was taken."""
        run = self._run
        if run is None:
            self._mail.post()
        elif not (passing and self._mail.holds_frame):
            frame, points = self.frames.make(run, self.wanted - without, traced=traced, passing=passing)
            self._mail.post(frame=frame, points=points, result=result, notice=notice)

    def _status(self) -> RunStatus:
        """Tell how things stand as the user should see it: what was asked for counts before it is done."""
        run, phase = self._run, self._phase
        if self._starting.is_set():
            phase = Phase.PREPARING
        elif self._cancel.is_set() and self._phase.busy:
            phase = Phase.CANCELLING
        if run is None:
            return RunStatus(phase)
        return status_of(run, phase, self._time_left if self._phase is Phase.RUNNING else None)
