"""The thread in which a run is stepped: commands go in by a queue, the newest picture comes out of a mailbox.

There is no Qt in here. The window calls `Runner.take` from a timer; commands are applied between substeps.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.gui.core.notices import Notice, NoticeKind, as_notice
from napari_pogmdm.gui.core.runner_mail import RunMail, Update
from napari_pogmdm.gui.core.runner_timing import FrameRate, TimeLeft
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.state import Diverged
from napari_pogmdm.runs.frames import found_noise, make_frame
from napari_pogmdm.runs.roles import SLOW_ROLES
from napari_pogmdm.runs.run import Run
from napari_pogmdm.runs.status import Frame, Phase, RunStatus
from napari_pogmdm.runtime.threads import rest

Command = Callable[[], None]


class Runner:
    """Steps runs in the background.

    Parameters
    ----------
    wake
        Called from the background when something important changed; must be safe to call from any thread.
    """

    def __init__(self, wake: Callable[[], None] | None = None) -> None:
        self._wake = wake or (lambda: None)
        self._commands: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._cancel = threading.Event()
        self._closed = threading.Event()
        self._starting = threading.Event()
        self._mail = RunMail(self._status, self._wake)
        self._run: Run | None = None
        self._phase = Phase.IDLE
        self._pause_seconds = 0.0
        self._due = 0.0
        self._pictures = FrameRate()
        self._noise = 0.0
        self._branch: FloatImage | None = None
        self._pace = TimeLeft()
        self.wanted: frozenset[str] = frozenset({"image"})
        self._thread = threading.Thread(target=self._loop, name="pogmdm runner", daemon=True)
        self._thread.start()

    def start(self, request: RunRequest, phase: Phase = Phase.PAUSED) -> None:
        """Begin a run and go on in the given phase: paused, playing or running."""
        self._cancel.clear()
        self._starting.set()
        self._commands.put(lambda: self._start(request, phase))
        self._mail.post()

    def play(self, pause_seconds: float = 0.0) -> None:
        """Go on substep by substep, with a pause after each iteration, until the chain ends."""
        self._commands.put(lambda: self._go_on(Phase.PLAYING, pause_seconds))

    def run(self) -> None:
        """Go on at full speed through all chains; from an earlier state, a picture of what is abandoned is kept."""
        self._commands.put(lambda: self._go_on(Phase.RUNNING, 0.0))

    def pause(self) -> None:
        """Stop after the current substep."""
        self._commands.put(self._pause)

    def step(self, whole_iteration: bool) -> None:
        """Take one substep, or finish the iteration, and stay paused."""
        self._commands.put(lambda: self._step(whole_iteration))

    def go_to(self, index: int) -> None:
        """Show a kept state; going on from there forgets what came after."""
        self._commands.put(lambda: self._go_to(index))

    def go_by(self, states: int) -> None:
        """Pause and show the kept state so many before (negative) or behind the shown one."""
        self._commands.put(lambda: self._go_by(states))

    def change(self, name: str, value: Any) -> None:
        """Change a live setting from the next substep on."""
        self._commands.put(lambda: self._change(name, value))

    def refresh(self) -> None:
        """Make a fresh picture, for instance because a layer was shown."""
        self._commands.put(self._refresh)

    def cancel(self) -> None:
        """Stop at once, even within a substep, and keep what there is."""
        self._cancel.set()
        self._commands.put(self._stop)
        self._mail.post()

    def reset(self) -> None:
        """Forget the run."""
        self._cancel.set()
        self._commands.put(self._forget)

    def close(self, timeout: float = 2.0) -> None:
        """End the thread."""
        self._closed.set()
        self._cancel.set()
        self._commands.put(lambda: None)
        self._thread.join(timeout)

    @property
    def alive(self) -> bool:
        """Whether the thread still runs."""
        return self._thread.is_alive()

    def take(self) -> Update:
        """Give everything new since the last call."""
        return self._mail.take()

    def _loop(self) -> None:
        while not self._closed.is_set():
            try:
                self._turn()
            except Exception as error:
                self._fail(error)

    def _turn(self) -> None:
        """Obey the next command, or go on."""
        command = self._next_command()
        try:
            if command is not None:
                command()
            else:
                self._advance()
        except Cancelled:
            if not self._closed.is_set():
                self._settle_after_cancel()

    def _next_command(self) -> Command | None:
        """Wait for a command; ``None`` when it is time for the next substep instead."""
        going = self._phase in {Phase.PLAYING, Phase.RUNNING}
        if not going:
            rest()
        try:
            return self._commands.get(timeout=max(0.0, self._due - time.perf_counter()) if going else None)
        except queue.Empty:
            return None

    def _start(self, request: RunRequest, phase: Phase) -> None:
        self._starting.clear()
        if self._phase.busy:
            self._mail.post(notice=Notice(NoticeKind.ERROR, "sampler: a run is under way; pause or cancel it first."))
            return
        self._run = None
        self._phase = Phase.PREPARING
        self._mail.post(restarted=True)
        self._run = Run(request, cancelled=self._cancel.is_set)
        self._pace = TimeLeft()
        self._phase = phase
        self._due = 0.0
        self._show()

    def _go_on(self, phase: Phase, pause_seconds: float) -> None:
        if self._run is None or self._run.finished:
            return
        self._cancel.clear()
        self._keep_branch(self._run)
        self._phase, self._pause_seconds, self._due = phase, pause_seconds, 0.0
        self._mail.post()

    def _pause(self) -> None:
        if self._phase in {Phase.PLAYING, Phase.RUNNING}:
            self._phase = Phase.PAUSED
            if self._run is not None:
                self._run.keep()
            self._show()

    def _step(self, whole_iteration: bool) -> None:
        run = self._run
        if run is None or run.finished:
            return
        self._cancel.clear()
        self._keep_branch(run)
        self._phase = Phase.PLAYING  # a step of a large scan takes long enough to be cancelled
        self._mail.post()
        run.step() if whole_iteration else run.substep()
        self._phase = Phase.PAUSED
        self._show(self._ending(run))

    def _go_to(self, index: int) -> None:
        if self._run is None or self._phase in {Phase.PLAYING, Phase.RUNNING}:
            return
        self._run.go_to(index)
        self._phase = Phase.FINISHED if self._run.finished else Phase.PAUSED
        self._show(traced=False)

    def _go_by(self, states: int) -> None:
        self._pause()
        if self._run is not None:
            self._go_to(self._run.history.shown + states)

    def _change(self, name: str, value: Any) -> None:
        if self._run is None:
            return
        try:
            self._run.change(name, value)
        except InputError as error:
            self._mail.post(notice=as_notice(error, "sampler"))

    def _refresh(self) -> None:
        if self._run is not None:
            self._show(traced=False)

    def _complete(self) -> None:
        """Make up for what a quick ending left out: slow pictures, and the figures of where it ended."""
        if self._run is not None and not self._phase.busy:
            self._show()

    def _stop(self) -> None:
        if self._phase.busy:
            self._settle_after_cancel()
        else:
            self._cancel.clear()
            self._mail.post()

    def _forget(self) -> None:
        self._cancel.clear()
        self._run, self._phase = None, Phase.IDLE
        self._mail.post(restarted=True)

    def _advance(self) -> None:
        run = self._run
        if run is None:
            self._phase = Phase.IDLE
            return
        began = time.perf_counter()
        playing = self._phase is Phase.PLAYING
        run.substep(keep=False)
        self._pace.count(time.perf_counter() - began)
        if playing and run.state.substep == 0:
            self._due = time.perf_counter() + self._pause_seconds
        result = self._ending(run)
        if playing and run.chain_finished and self._phase is Phase.PLAYING:
            self._phase = Phase.PAUSED
        waits = playing and self._pause_seconds > 0 and run.state.substep == 0
        ended = not self._phase.busy or run.chain_finished or waits
        if ended or self._pictures.due(whole=run.state.substep == 0):
            self._show(result, only_if_taken=not ended)

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
        slow = self.wanted & SLOW_ROLES
        self._show(self._run.result(stopped=True), without=slow, traced=False)
        self._commands.put(self._complete)

    def _keep_branch(self, run: Run) -> None:
        """Before a run goes on from an earlier state, take a picture of what it abandons, if it will be different."""
        if run.forks:
            self._branch = make_frame(run.context, run.history.newest, {"image"}, measured=False).arrays["image"]
        if run.behind:
            self._mail.post(forked=(run.chain, run.state.iteration, run.state.substep))

    def _fail(self, error: Exception) -> None:
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
            with suppress(Exception):  # the same trouble once more, of which the sentence tells already
                run.settle()
                self._show(run.result(stopped=True), without=self.wanted & SLOW_ROLES, traced=False, notice=notice)
                return
        self._mail.post(notice=notice)

    def _show(
        self,
        result: Reconstruction | None = None,
        *,
        only_if_taken: bool = False,
        traced: bool = True,
        without: frozenset[str] = frozenset(),
        notice: Notice | None = None,
    ) -> None:
        """Put a picture of the current state into the mailbox; a running one waits until the last was taken."""
        run = self._run
        if run is None:
            self._mail.post()
            return
        if only_if_taken and self._mail.holds_frame:
            return
        begun, computed = time.perf_counter(), time.thread_time()
        whole = run.state.substep == 0  # the figures of different substeps do not make a curve
        measured = traced and (not only_if_taken or (whole and self._pictures.figures_due))
        if measured or not only_if_taken:
            self._noise = found_noise(run.context, run.state)
        frame = make_frame(run.context, run.state, self.wanted - without, measured, self._noise)
        if self._branch is not None:
            frame, self._branch = Frame({**frame.arrays, "before fork": self._branch}, frame.point), None
        self._pictures.took(begun, time.thread_time() - computed, measured)
        self._mail.post(frame=frame, point=frame.point if measured else None, result=result, notice=notice)

    def _shown_phase(self) -> Phase:
        """Tell the phase as the user should see it: what was asked for counts before the background gets to it."""
        if self._starting.is_set():
            return Phase.PREPARING
        return Phase.CANCELLING if self._cancel.is_set() and self._phase.busy else self._phase

    def _status(self) -> RunStatus:
        run, phase = self._run, self._shown_phase()
        if run is None:
            return RunStatus(phase)
        state, history = run.state, run.history
        total = run.request.chains * run.sampler.steps * len(run.sampler.plan)
        done = (run.chain * run.sampler.steps + state.iteration) * len(run.sampler.plan) + state.substep
        return RunStatus(
            phase=phase,
            chain=run.chain,
            chains=run.request.chains,
            iteration=state.iteration,
            steps=run.sampler.steps,
            plan=run.sampler.plan,
            substep=state.substep,
            sigma=run.sampler.level(state),
            seconds_left=self._pace.left(total - done) if self._phase is Phase.RUNNING else None,
            kept=history.positions,
            shown=history.shown,
            kept_bytes=history.memory,
        )
