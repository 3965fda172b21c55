"""The slider over the kept states of a run, and the button that goes on from one of them."""

from __future__ import annotations

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QHBoxLayout, QPushButton, QSlider, QVBoxLayout, QWidget
from superqt.utils import signals_blocked

from napari_pogmdm.gui.docks.sampler.run_control import RunControl
from napari_pogmdm.gui.docks.sampler.run_text import memory_text, position_text
from napari_pogmdm.gui.widgets.readout import Readout
from napari_pogmdm.runs.status import RunStatus


class HistoryBox(QWidget):
    """Goes back to kept states, and forks there.

    Parameters
    ----------
    control
        Goes to states, and forks.
    """

    def __init__(self, control: RunControl) -> None:
        super().__init__()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setToolTip("States of this chain that were kept (left and right arrow in the viewer)")
        self.slider.setAccessibleName("History")
        self.place = Readout()
        self.memory = Readout()
        self.memory.setToolTip("When the kept states outgrow their memory, every second one is dropped")
        self.fork = QPushButton("&Fork from here")
        self.fork.setToolTip(
            "Go on from the shown state with the current settings; if they changed, the image that the run had reached "
            'stays as the layer "before fork"'
        )
        self.slider.valueChanged.connect(control.go_to)
        self.fork.clicked.connect(control.fork)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.slider)
        column.addWidget(self.place)
        row = QHBoxLayout()
        row.addWidget(self.memory, 1)
        row.addWidget(self.fork)
        column.addLayout(row)
        self.show_status(RunStatus())

    def show_status(self, status: RunStatus) -> None:
        """Follow a run."""
        kept = len(status.kept)
        with signals_blocked(self.slider):
            self.slider.setRange(0, max(kept - 1, 0))
            if not self.slider.isSliderDown():
                self.slider.setValue(max(status.shown, 0))
        self.slider.setEnabled(kept > 1 and not status.phase.busy)
        self.fork.setEnabled(status.behind and not status.phase.busy)
        shown = 0 <= status.shown < kept
        self.place.setText(position_text(status.kept[status.shown], status.plan) if shown else "no states kept yet")
        self.memory.setText(memory_text(status) if kept else "")
