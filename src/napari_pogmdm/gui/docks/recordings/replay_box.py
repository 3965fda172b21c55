"""Slider, buttons and keys that go through a recorded run."""

from __future__ import annotations

import time

from qtpy.QtCore import Qt, QTimer
from qtpy.QtGui import QKeySequence, QShortcut
from qtpy.QtWidgets import QCheckBox, QComboBox, QGroupBox, QHBoxLayout, QLabel, QSlider, QVBoxLayout
from superqt.utils import signals_blocked

from napari_pogmdm.gui.core.replay import SPEEDS, Replay
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.recordings.film import caption
from napari_pogmdm.gui.widgets.buttons import button
from napari_pogmdm.gui.widgets.readout import Readout

_TICK_MILLISECONDS = 15  # half of a frame at the fastest speed
_NARROWEST = 36  # pixels of a button with a symbol
_USUAL_SPEED = 10.0  # frames a second


class ReplayBox(QGroupBox):
    """Plays the session's recorded run; space, arrows, Home and End work while it has the focus.

    Parameters
    ----------
    dock
        Whose session is followed.
    """

    def __init__(self, dock: Dock) -> None:
        super().__init__("Replay")
        self.workbench = dock.workbench
        self.session = dock.session
        self._last_tick = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("recording_slider")
        self.slider.setAccessibleName("Frame of the recording")
        self.slider.setToolTip("Frame of the recorded run; arrow keys, Home and End work too.")
        self.slider.valueChanged.connect(self._moved)
        self.moment = Readout(lines=2)
        self.moment.setObjectName("recording_moment")
        column = QVBoxLayout(self)
        column.addWidget(self.slider)
        column.addWidget(self.moment)
        column.addLayout(self._make_buttons())
        column.addLayout(self._make_options())
        self._bind_keys()
        dock.listen(self.session.events.recording, self.show_recording)
        dock.listen(self.session.events.recording_frame, self._show_frame)
        self.show_recording()

    def _make_buttons(self) -> QHBoxLayout:
        self.first_button = button("|◀", "First frame (Home)", "recording_first")
        self.back_button = button("◀", "One frame back (left arrow)", "recording_back")
        self.play_button = button("▶ Play", "Play or pause (space)", "recording_play")
        self.forth_button = button("▶", "One frame on (right arrow)", "recording_forth")
        self.last_button = button("▶|", "Last frame (End)", "recording_last")
        self.first_button.clicked.connect(lambda: self._go_to(0))
        self.back_button.clicked.connect(lambda: self._go_by(-1))
        self.play_button.clicked.connect(self._play_or_pause)
        self.forth_button.clicked.connect(lambda: self._go_by(1))
        self.last_button.clicked.connect(lambda: self._go_to(self.slider.maximum()))
        buttons = QHBoxLayout()
        for made in (self.first_button, self.back_button, self.play_button, self.forth_button, self.last_button):
            made.setMinimumWidth(_NARROWEST)
            buttons.addWidget(made, 2 if made is self.play_button else 1)
        return buttons

    def _make_options(self) -> QHBoxLayout:
        self.speed = QComboBox()
        self.speed.setObjectName("recording_speed")
        self.speed.setAccessibleName("Speed")
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g} frames/s", speed)
        self.speed.setCurrentIndex(SPEEDS.index(_USUAL_SPEED))
        self.speed.setToolTip("Frames a second while playing.")
        self.loop = QCheckBox("&Loop")
        self.loop.setObjectName("recording_loop")
        self.loop.setToolTip("Start again after the last frame.")
        options = QHBoxLayout()
        options.addWidget(QLabel("Speed"))
        options.addWidget(self.speed, 1)
        options.addWidget(self.loop)
        return options

    @property
    def chosen_speed(self) -> float:
        """Frames a second."""
        return float(self.speed.currentData())

    @property
    def _replay(self) -> Replay | None:
        return self.workbench.player.replay

    def show_recording(self) -> None:
        """Follow a recording that was opened or closed."""
        recording = self.session.recording
        self._timer.stop()
        self.setEnabled(recording is not None)
        with signals_blocked(self.slider):
            self.slider.setRange(0, 0 if recording is None else len(recording) - 1)
        self._show_frame()

    def _bind_keys(self) -> None:
        actions = {
            "Space": self._play_or_pause,
            "Left": lambda: self._go_by(-1),
            "Right": lambda: self._go_by(1),
            "Home": lambda: self._go_to(0),
            "End": lambda: self._go_to(self.slider.maximum()),
        }
        for key, action in actions.items():
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(action)

    def _show_frame(self) -> None:
        replay = self._replay
        self.play_button.setText("❚❚ Pause" if self._timer.isActive() else "▶ Play")
        if replay is None:
            self.moment.setText("No recording is open.")
            return
        with signals_blocked(self.slider):
            self.slider.setValue(replay.index)
        self.moment.setText(caption(replay.point, replay.recording.facts.steps))

    def _moved(self, index: int) -> None:
        self.session.recording_frame = index

    def _go_to(self, index: int) -> None:
        self.slider.setValue(max(0, min(index, self.slider.maximum())))

    def _go_by(self, frames: int) -> None:
        self._go_to(self.slider.value() + frames)

    def _play_or_pause(self) -> None:
        replay = self._replay
        if replay is None:
            return
        if self._timer.isActive():
            replay.pause()
            self._timer.stop()
            self._show_frame()
            return
        replay.play()
        self._last_tick = time.perf_counter()
        self._timer.start(_TICK_MILLISECONDS)
        self._go_to(replay.index)
        self._show_frame()

    def _tick(self) -> None:
        replay = self._replay
        now = time.perf_counter()
        if replay is None:
            self._timer.stop()
            return
        replay.speed, replay.loop = self.chosen_speed, self.loop.isChecked()
        if replay.advance(now - self._last_tick):
            self.session.recording_frame = replay.index
        self._last_tick = now
        if not replay.playing:
            self._timer.stop()
            self._show_frame()
