"""The buttons that control a run, and the line that shows its progress."""

from __future__ import annotations

from qtpy.QtWidgets import QComboBox, QGridLayout, QVBoxLayout, QWidget

from napari_pogmdm.gui.docks.quiet_bar import QuietBar
from napari_pogmdm.gui.docks.sampler.run_control import RunControl
from napari_pogmdm.gui.docks.sampler.run_text import choice_text, progress_text, substep_words
from napari_pogmdm.gui.widgets.buttons import button, make_main
from napari_pogmdm.gui.widgets.readout import Readout
from napari_pogmdm.runs.status import Phase, RunStatus

PACES = {"no pause": 0.0, "4 per second": 0.25, "1 per second": 1.0, "every 3 s": 3.0}
"""Seconds that playing waits after each iteration; no name of a preset is among the words."""
_FINE = 1000  # steps of the progress bar: finer than its pixels
_BAR_HEIGHT = 8  # pixels; what it means stands below it


class RunButtons(QWidget):
    """Step, play, pause, run, cancel and reset, with progress.

    Parameters
    ----------
    control
        What the buttons do.
    """

    def __init__(self, control: RunControl) -> None:
        super().__init__()
        self._control = control
        self.substep = button("Step &substep", "Take the next line of the algorithm (right arrow)", takes_focus=False)
        self.iteration = button("Step &iteration", "Finish the current iteration", takes_focus=False)
        self.play = button("&Play", "Go on while you watch (space)", takes_focus=False)
        self.run = make_main(button("&Run", "Go on at full speed, through all chains", takes_focus=False))
        self.reset = button("Rese&t", "Forget the run, so that every setting may change", takes_focus=False)
        self.pace = QComboBox()
        self.pace.addItems(tuple(PACES))
        self.pace.setToolTip("How many iterations Play shows in a second")
        self.pace.setAccessibleName("Pace of Play")
        self.bar = QuietBar()
        self.bar.setRange(0, _FINE)
        self.bar.setTextVisible(False)
        self.bar.setMaximumHeight(_BAR_HEIGHT)
        self.words = Readout(lines=2)
        self.chosen = Readout(lines=6)  # a warning, and what was chosen
        self.chosen.hide()
        self._lay_out()
        self.substep.clicked.connect(lambda: control.step(whole_iteration=False))
        self.iteration.clicked.connect(lambda: control.step(whole_iteration=True))
        self.play.clicked.connect(control.play_or_pause)
        self.run.clicked.connect(control.run_or_cancel)
        self.reset.clicked.connect(control.reset)
        self.pace.currentTextChanged.connect(self._set_pace)
        self.show_status(RunStatus())

    def show_status(self, status: RunStatus, outdated: bool = False, changed: bool = False) -> None:
        """Follow a run.

        Parameters
        ----------
        status
            Where it stands.
        outdated
            Whether it is of another scan, mask or model than the next one will be.
        changed
            Whether the next one will have other settings.
        """
        phase = status.phase
        going = phase in {Phase.PLAYING, Phase.RUNNING}
        self.play.setText("&Pause" if going else "&Play")
        ending = phase is Phase.CANCELLING
        self.run.setText("Cancelling..." if ending else "&Cancel" if phase.busy else "&Run")
        self.run.setEnabled(not ending)
        self.play.setEnabled(going or not phase.busy)
        self.reset.setEnabled(phase is not Phase.IDLE and not phase.busy)
        for one in (self.substep, self.iteration):
            one.setEnabled(not phase.busy and (outdated or phase is not Phase.FINISHED))
        following = f"; next: {substep_words(status.plan[status.substep])}" if status.plan else ""
        self.substep.setToolTip(f"Take the next line of the algorithm (right arrow, at the newest state){following}")
        self.bar.setValue(round(_FINE * status.fraction))
        self.words.setText(progress_text(status, outdated, changed))
        self.chosen.setText(choice_text(status))
        if status.choices:
            self.chosen.show()  # and stays, so that nothing moves a second time
        self.chosen.setToolTip("\n".join(status.choices))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        grid = QGridLayout()
        grid.setSpacing(4)
        grid.addWidget(self.run, 0, 0)
        grid.addWidget(self.reset, 0, 1)
        grid.addWidget(self.play, 1, 0)
        grid.addWidget(self.pace, 1, 1)
        grid.addWidget(self.substep, 2, 0)
        grid.addWidget(self.iteration, 2, 1)
        for side in (0, 1):
            grid.setColumnStretch(side, 1)
        column.addLayout(grid)
        column.addWidget(self.bar)
        column.addWidget(self.words)
        column.addWidget(self.chosen)

    def _set_pace(self, name: str) -> None:
        self._control.pause_seconds = PACES[name]
        if self._control.playing:
            self._control.play()
