"""The box that makes a recording of the live run."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from qtpy.QtCore import QTimer
from qtpy.QtWidgets import QFileDialog, QFormLayout, QGroupBox, QHBoxLayout, QLabel, QPushButton, QSpinBox

from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.recordings.live_recorder import LiveRecorder
from napari_pogmdm.gui.widgets.buttons import button
from napari_pogmdm.runs.recording import SUFFIX, Recording

FILE_KINDS = f"Recorded runs (*{SUFFIX})"
_COUNTING_MILLISECONDS = 300  # between two looks at how large the recording is
_LARGEST_MEGABYTES, _USUAL_MEGABYTES = 200, 20  # of the file; thirty frames of the bundled scan take 2


def counted(frames: int) -> str:
    """Say how many frames there are."""
    return f"{frames} frame{'' if frames == 1 else 's'}"


class RecorderBox(QGroupBox):
    """Keeps the pictures that a live run shows, while its switch is on.

    Parameters
    ----------
    dock
        Whose session is followed.
    """

    def __init__(self, dock: Dock) -> None:
        super().__init__("Live run")
        self.workbench = dock.workbench
        self.session = dock.session
        self._worker = dock.make_worker("pogmdm saving")
        self._live: LiveRecorder | None = None
        form = QFormLayout(self)
        self.recording_switch = QPushButton("● &Record the live run")
        self.recording_switch.setObjectName("recording_switch")
        self.recording_switch.setCheckable(True)
        self.recording_switch.setToolTip("Keep what a live run shows: the visible layers, and all numbers.")
        self.recording_switch.toggled.connect(self._switched)
        self.limit = QSpinBox()
        self.limit.setObjectName("recording_limit")
        self.limit.setRange(1, _LARGEST_MEGABYTES)
        self.limit.setValue(_USUAL_MEGABYTES)
        self.limit.setSuffix(" MB")
        self.limit.setToolTip("Largest size of the file. When it is reached, every second frame is dropped.")
        self.size_label = QLabel("Nothing recorded yet.")
        self.size_label.setObjectName("recording_size")
        self.size_label.setWordWrap(True)
        row = QHBoxLayout()
        self.save_button = button("&Save …", f"Write the recording into a {SUFFIX} file.", "save_recording")
        self.save_button.clicked.connect(self._ask_to_save)
        self.watch_button = button("Re&play it", "Look at what was recorded.", "watch_recording")
        self.watch_button.clicked.connect(self._watch)
        row.addWidget(self.save_button)
        row.addWidget(self.watch_button)
        form.addRow(self.recording_switch)
        form.addRow("At most", self.limit)
        form.addRow(self.size_label)
        form.addRow(row)
        self._poll = QTimer(self)
        self._poll.timeout.connect(self._count)
        dock.listen(self.session.events.frame, self._take)
        dock.listen(self.session.events.result, self._finish)
        self._count()

    def _switched(self, on: bool) -> None:
        if on:
            self._poll.start(_COUNTING_MILLISECONDS)
        if on and self.session.frame is not None and not self.workbench.player.active:
            self._take()

    def _take(self) -> None:
        frame = self.session.frame
        if self.workbench.player.active:
            return
        if frame is None:
            if self.recording_switch.isChecked() and self._live is not None and self._live.frames:
                self._forget()
            return
        if not self.recording_switch.isChecked():
            return
        if self._live is None:
            self._live = self._begin()
        if self._live is not None:
            self._live.take(frame, self.session.status.plan)

    def _begin(self) -> LiveRecorder | None:
        request, book = self.workbench.request, self.workbench.book
        if request is None:
            return None
        limit = int(self.limit.value() * 1e6)
        return LiveRecorder(request, book.geometry, limit)

    def _finish(self) -> None:
        result = self.session.result
        if result is not None and self._live is not None and self.recording_switch.isChecked():
            self._live.finish(asdict(result.record))

    def _forget(self) -> None:
        if self._live is not None:
            self._live.close()
        self._live = None

    def _count(self) -> None:
        live = self._live
        something = live is not None and live.frames > 0
        self.save_button.setEnabled(something)
        self.watch_button.setEnabled(something)
        self.limit.setEnabled(live is None)
        if live is None:
            self.size_label.setText(
                "Waits for a run." if self.recording_switch.isChecked() else "Nothing recorded yet."
            )
            return
        text = f"{counted(live.frames)}, {live.size / 1e6:.1f} of at most {live.limit / 1e6:g} MB"
        self.size_label.setText(f"{text}, {live.skipped} skipped" if live.skipped else text)
        if live.failure is not None:
            self.workbench.tell(live.failure)
            self.recording_switch.setChecked(False)
            self._forget()
        if not self.recording_switch.isChecked():
            self._poll.stop()

    def _ask_to_save(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save the recording", f"run{SUFFIX}", FILE_KINDS)
        if name:
            self.save(Path(name))

    def save(self, path: Path) -> None:
        """Write what was recorded, in the background."""
        live = self._live
        if live is None:
            return

        def saved(recording: Recording) -> None:
            megabytes = path.stat().st_size / 1e6
            sentence = f"{path.name}: {counted(len(recording))} saved, {megabytes:.2f} MB."
            self.workbench.tell(Notice(NoticeKind.INFORMATION, sentence))

        self._worker.submit(path.name, lambda cancelled: live.save(path), saved)

    def _watch(self) -> None:
        live = self._live
        if live is None:
            return

        def ready(recording: Recording) -> None:
            self.session.recording = recording

        self._worker.submit("recording", lambda cancelled: live.recording(), ready)
