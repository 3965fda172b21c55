"""The Recordings dock: replay recorded runs without computing, record live ones, and make films of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QFileDialog, QHBoxLayout, QLabel

from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.recordings.film_box import FilmBox
from napari_pogmdm.gui.docks.recordings.recorder_box import FILE_KINDS, RecorderBox, counted
from napari_pogmdm.gui.docks.recordings.replay_box import ReplayBox
from napari_pogmdm.gui.layers.view import RECORDING
from napari_pogmdm.gui.widgets.buttons import button
from napari_pogmdm.gui.widgets.plots import by_letters
from napari_pogmdm.runs.recording import Recording
from napari_pogmdm.runs.recording_reader import demo_recording

if TYPE_CHECKING:
    from napari.viewer import Viewer


_CARD_LINES = 6  # of a recording's card, where the lines of a long mask are wrapped


class RecordingsDock(Dock):
    """Opens, plays and makes recordings, and exports films of them."""

    heading = "Recordings"
    explanation = (
        "<b>What is this?</b> The pictures <i>x<sub>i</sub></i> that a run went through, kept with its coils "
        "and numbers: nothing is computed, Trace and Inspector follow."
    )
    page = "recordings"
    view = RECORDING

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        self.column.addLayout(self._make_opening())
        self.card = QLabel()
        self.card.setObjectName("recording_card")
        self.card.setWordWrap(True)
        self.card.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.card.setMinimumHeight(
            by_letters(_CARD_LINES * self.fontMetrics().lineSpacing())
        )  # what is below must not move
        self.player = ReplayBox(self)
        self.film = FilmBox(self, lambda: self.player.chosen_speed)
        self.recorder = RecorderBox(self)
        for widget in (self.card, self.player, self.film, self.recorder):
            self.column.addWidget(widget)
        self.column.addStretch()
        self.listen(self.session.events.recording, self._show_recording)
        self._show_recording()

    def open(self, path: Path) -> None:
        """Open a recorded run."""
        self.workbench.loader.open_recording(path)

    def _make_opening(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.open_button = button("&Open …", "Open a recorded run; dropping the file works too.", "open_recording")
        self.open_button.clicked.connect(self._ask_to_open)
        self.demo_button = button(
            "&Demo run", "A run on the bundled scan that ships with the package.", "demo_recording"
        )
        self.demo_button.clicked.connect(lambda: self.open(demo_recording()))
        self.close_button = button("Close", "Go back to live runs.", "close_recording")
        self.close_button.clicked.connect(self._close_recording)
        for made in (self.open_button, self.demo_button, self.close_button):
            row.addWidget(made)
        return row

    def _ask_to_open(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Open a recorded run", "", FILE_KINDS)
        if name:
            self.open(Path(name))

    def _close_recording(self) -> None:
        self.session.recording = None

    def _show_recording(self) -> None:
        self.close_button.setEnabled(self.session.recording is not None)
        self.card.setText(_describe(self.session.recording))


def _describe(recording: Recording | None) -> str:
    if recording is None:
        return "Open a recorded run, or the demo run to begin with."
    facts = recording.facts
    chains = f", {facts.chains} chains" if facts.chains > 1 else ""
    return (
        f"<b>{recording.name}</b><br>{facts.source}; {facts.mask}<br>model {facts.model}, "
        f"{facts.settings.get('algorithm')}{chains}<br>{counted(len(recording))}, {recording.size / 1e6:.1f} MB"
    )
