"""What buttons and keys do to a run, whatever its phase; both have the same effect."""

from __future__ import annotations

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.status import Phase


class RunControl:
    """Steps, plays, runs and cancels; where there is no run, or one of another scan, mask or model, one begins anew.

    Parameters
    ----------
    workbench
        Whose run is moved.

    Attributes
    ----------
    pause_seconds
        After each iteration of a run that plays.
    """

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self.pause_seconds = 0.0

    @property
    def playing(self) -> bool:
        """Whether a run goes on with pauses."""
        return self._phase is Phase.PLAYING

    @property
    def _phase(self) -> Phase:
        return self._workbench.session.status.phase

    def step(self, whole_iteration: bool) -> None:
        """Take a substep, or finish the iteration; a key that is held does not pile up steps."""
        over = self._phase is Phase.FINISHED and self._workbench.under_way
        if not self._phase.busy and not over and self._ready():
            self._workbench.runner.step(whole_iteration)

    def forward(self) -> None:
        """Go to the next kept state, or take a substep where there is none."""
        if self._workbench.session.status.behind and not self._phase.busy:
            self._workbench.runner.go_by(1)
        else:
            self.step(whole_iteration=False)

    def back(self) -> None:
        """Pause and go to the kept state before the shown one."""
        self._workbench.runner.go_by(-1)

    def go_to(self, index: int) -> None:
        """Show a kept state."""
        self._workbench.runner.go_to(index)

    def fork(self) -> None:
        """Go on from the shown state, keeping a picture of what came after it."""
        self._workbench.book.ask(Role.BEFORE_FORK)
        self._workbench.runner.run()

    def play_or_pause(self) -> None:
        """Pause what goes on, or go on with pauses to watch."""
        if self._phase in {Phase.PLAYING, Phase.RUNNING}:
            self._workbench.runner.pause()
        elif not self._phase.busy:
            self.play()

    def play(self) -> None:
        """Go on with pauses to watch."""
        if self._ready(again=True):
            self._workbench.runner.play(self.pause_seconds)

    def run_or_cancel(self) -> None:
        """Run at full speed to the end, or stop at once."""
        if self._phase.busy:
            self._workbench.cancel()
        elif self._ready(again=True):
            self._workbench.runner.run()

    def reset(self) -> None:
        """Forget the run."""
        self._workbench.reset()

    def _ready(self, again: bool = False) -> bool:
        """See that there is a run to go on with, beginning one if need be (``again``: also after a finished one)."""
        workbench = self._workbench
        over = again and self._phase is Phase.FINISHED
        if workbench.under_way and not over:
            return True
        return workbench.start(Phase.PAUSED)
