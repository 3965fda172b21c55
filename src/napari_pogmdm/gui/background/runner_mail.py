"""What the background reports about a run, until the window takes it; no Qt in here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from napari_pogmdm.gui.background.mailbox import Mailbox
from napari_pogmdm.gui.background.notices import Notice
from napari_pogmdm.gui.background.runner_timing import TimeLeft
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.runs.run import Run
from napari_pogmdm.runs.status import Frame, Phase, RunStatus, TracePoint

Moment = tuple[int, int, int]
"""Chain, iteration, substep."""


@dataclass(frozen=True, eq=False)
class Update:
    """Everything new since the window last asked.

    Attributes
    ----------
    status
        How the run stands.
    frame
        The newest picture, if there is one.
    points
        New points of the trace, in order.
    notices
        Sentences for the user.
    result
        Of a run that ended.
    restarted
        A run began, or was reset: all that is known of an earlier one is void.
    forked
        The moment from which the run goes on once more: what came later is void.
    """

    status: RunStatus
    frame: Frame | None = None
    points: tuple[TracePoint, ...] = ()
    notices: tuple[Notice, ...] = ()
    result: Reconstruction | None = None
    restarted: bool = False
    forked: Moment | None = None


class RunMail:
    """Holds the newest picture; points and notices add up until they are taken.

    Parameters
    ----------
    status
        Tells how things stand at the moment of posting.
    wake
        Called after every letter.
    """

    def __init__(self, status: Callable[[], RunStatus], wake: Callable[[], None]) -> None:
        self._status = status
        self._wake = wake
        self._box: Mailbox[Update] = Mailbox()
        self._taken = Update(RunStatus())

    @property
    def holds_frame(self) -> bool:
        """Whether a picture waits to be taken."""
        waiting = self._box.peek()
        return waiting is not None and waiting.frame is not None

    def take(self) -> Update:
        """Give everything new since the last call; without news, the status as it was."""
        update = self._box.take() or self._taken
        self._taken = Update(update.status)
        return update

    def post(
        self,
        *,
        frame: Frame | None = None,
        points: tuple[TracePoint, ...] = (),
        notice: Notice | None = None,
        result: Reconstruction | None = None,
        restarted: bool = False,
        forked: Moment | None = None,
    ) -> None:
        """Add to what waits.

        Parameters
        ----------
        frame, result
            Replace those that wait.
        points, notice
            Are put after those that wait.
        restarted
            Takes back all but notices.
        forked
            Takes back what came after this moment.
        """

        def added(waiting: Update | None) -> Update:
            status = self._status()  # while the box is locked, so that an older one never replaces a newer one
            old = waiting or Update(status)
            if restarted:
                old = Update(status, notices=old.notices, restarted=True)
            before = old.points if forked is None else tuple(one for one in old.points if one.moment <= forked)
            return Update(
                status,
                frame or old.frame,
                before + points,
                old.notices + ((notice,) if notice else ()),
                None if forked else result or old.result,
                old.restarted,
                forked or old.forked,
            )

        self._box.update(added)
        self._wake()


def status_of(run: Run, phase: Phase, time_left: TimeLeft | None) -> RunStatus:
    """Tell how a run stands.

    Parameters
    ----------
    run
        The run.
    phase
        What it is doing.
    time_left
        Knows how long substeps take; ``None`` while nothing runs.
    """
    sampler, state, history = run.sampler, run.state, run.history
    total = run.request.chains * sampler.steps * len(sampler.plan)
    done = (run.chain * sampler.steps + state.iteration) * len(sampler.plan) + state.substep
    return RunStatus(
        phase=phase,
        chain=run.chain,
        chains=run.request.chains,
        iteration=state.iteration,
        steps=sampler.steps,
        plan=sampler.plan,
        substep=state.substep,
        sigma=sampler.level(state),
        seconds_left=None if time_left is None else time_left.of(total - done),
        kept=history.positions,
        shown=history.shown,
        kept_bytes=history.memory,
        choices=() if run.request.choices is None else run.request.choices.words,
    )
