"""The dock that steps, plays and runs the sampler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qtpy.QtWidgets import QApplication, QFileDialog, QFrame, QGridLayout, QLabel, QPushButton

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.contributions.reader import open_path
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.sampler.batch_box import BatchBox
from napari_pogmdm.gui.docks.sampler.batch_request import batch_request
from napari_pogmdm.gui.docks.sampler.history_box import HistoryBox
from napari_pogmdm.gui.docks.sampler.live_layers_box import LiveLayersBox
from napari_pogmdm.gui.docks.sampler.preset_box import PresetBox
from napari_pogmdm.gui.docks.sampler.run_buttons import RunButtons
from napari_pogmdm.gui.docks.sampler.run_control import RunControl
from napari_pogmdm.gui.docks.sampler.settings_form import SamplerForm
from napari_pogmdm.gui.layers.view import RUN
from napari_pogmdm.gui.widgets.borrowed_keys import BorrowedKeys
from napari_pogmdm.gui.widgets.collapsible import Collapsible
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.sample import record_of
from napari_pogmdm.recon.sampler.settings import LIVE_SETTINGS, SamplerSettings
from napari_pogmdm.runs.result_files import as_command, as_python, save_result, with_ending
from napari_pogmdm.runs.status import Phase

if TYPE_CHECKING:
    from napari.viewer import Viewer


class SamplerDock(Dock):
    """Settings, buttons, history, live layers, and what can be kept of a run."""

    heading = "Sampler"
    explanation = (
        "<b>What is this?</b> The search for an image <i>x</i> and coils <i>s</i> that fit both the samples "
        "<i>y</i> and the prior (Algorithm 1 of the paper, or its faster relative)."
    )
    equations = "Algorithm 1"
    page = "sampler"
    view = RUN

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        bench = self.workbench
        self.control = RunControl(bench)
        self.presets = PresetBox(self.session)
        self.buttons = RunButtons(self.control)
        self.history = HistoryBox(self.control)
        self.layers = LiveLayersBox(bench)
        self.form = SamplerForm(self.session.settings)
        self.hint = QLabel("Greyed settings need a Reset; the others change the run from its next substep on.")
        self.hint.setWordWrap(True)
        self.pin = QPushButton("Pi&n")
        self.pin.setToolTip("Keep image, curves and settings to compare with later runs; the Compare dock lists them")
        self.batch = BatchBox(partial(batch_request, self.session), self._source)
        self.save = QPushButton("Sa&ve result...")
        self.copy_command = QPushButton("Copy command &line")
        self.copy_python = QPushButton("Copy P&ython")
        self._saving = self.make_worker("pogmdm saving")
        self._keys = BorrowedKeys(
            bench.viewer,
            {
                "Space": self.control.play_or_pause,
                "Right": self.control.forward,
                "Left": self.control.back,
                "U": self.layers.cycle,
            },
        )
        self._lay_out()
        self._connect()
        self._show_status()

    def _lay_out(self) -> None:
        self.column.addWidget(self.presets)
        self.column.addWidget(self.presets.remark)
        self.column.addWidget(self.buttons)
        self.column.addWidget(_line())
        self.column.addWidget(self.history)
        self.column.addWidget(Collapsible("Live layers", self.layers, unfolded=True))
        self.column.addWidget(self.form)
        self.column.addWidget(self.hint)
        self.column.addWidget(Collapsible("Batch: all slices, or a folder", self.batch))
        self.column.addWidget(_line())
        keeping = QGridLayout()
        keeping.setSpacing(4)
        keeping.addWidget(self.save, 0, 0)
        keeping.addWidget(self.pin, 0, 1)
        keeping.addWidget(self.copy_command, 1, 0)
        keeping.addWidget(self.copy_python, 1, 1)
        self.column.addLayout(keeping)
        self.column.addStretch()
        self.save.setToolTip("Write image, coils, variance and record as HDF5, in the layout that fastMRI takes")
        self.copy_command.setToolTip("Put the terminal command that repeats this run on the clipboard")
        self.copy_python.setToolTip("Put the Python script that repeats this run on the clipboard")

    def _connect(self) -> None:
        events, bench = self.session.events, self.workbench
        self.listen(events.settings, self._show_settings)
        for event in (events.seed, events.chains):
            self.listen(event, self._show_counts)
        for event in (events.status, events.measurement, events.prior, events.result):
            self.listen(event, self._show_status)
        self.listen(events.reference, self.layers.refresh)
        self.listen(bench.canvas.arranged, self.layers.refresh)
        bench.layers_changed.connect(self.layers.refresh)
        self.at_end(self._keys.give_back)
        self.form.edited.connect(self._edited)
        self.form.refused.connect(self._say)
        self.presets.refused.connect(self._say)
        self.batch.told.connect(self._tell_of_batch)
        self.batch.opened.connect(lambda path: open_path(self.workbench, Path(path)))
        self.save.clicked.connect(self._save)
        self.pin.clicked.connect(bench.pins.pin_run)
        self.copy_command.clicked.connect(lambda: self._copy(as_command, "command"))
        self.copy_python.clicked.connect(lambda: self._copy(as_python, "script"))

    def _show_settings(self, settings: SamplerSettings) -> None:
        self.form.show_settings(settings)
        self.layers.refresh()
        self._show_counts()

    def _show_counts(self) -> None:
        self.presets.refresh()
        self._show_status()

    def _show_status(self) -> None:
        status, bench = self.session.status, self.workbench
        locked = status.phase.busy or (bench.under_way and status.phase is not Phase.FINISHED)
        outdated = bench.request is not None and self.session.measurement is not None and not bench.under_way
        self.buttons.show_status(status, outdated, self._changed)
        self.history.show_status(status)
        self.form.lock(locked)
        self.presets.lock(locked)
        self.hint.setVisible(locked)
        self.save.setEnabled(self.session.result is not None and not status.phase.busy)
        self.pin.setEnabled(self.session.result is not None)
        known = self.session.measurement is not None and self.session.prior is not None
        for button in (self.copy_command, self.copy_python):
            button.setEnabled(known or self.session.result is not None)

    @property
    def _changed(self) -> bool:
        """Whether the next run will differ in settings, seed or chains from the one that there is."""
        session, request = self.session, self.workbench.request
        now = (session.settings, session.seed, session.chains)
        return request is not None and now != (request.settings, request.seed, request.chains)

    def _edited(self, name: str, value: Any) -> None:
        self.session.settings = replace(self.session.settings, **{name: value})
        if self.workbench.under_way and name in LIVE_SETTINGS:
            self.workbench.runner.change(name, value)

    def _save(self) -> None:
        result, reference = self.session.result, self.session.reference
        if result is None:
            return
        name, _ = QFileDialog.getSaveFileName(self, "Save result", "result.h5", "HDF5 (*.h5)")
        if not name:
            return
        path = with_ending(name, ".h5")
        self.save.setEnabled(False)

        def done(_: None) -> None:
            self._show_status()
            self.workbench.tell(Notice(NoticeKind.INFORMATION, f"{path.name}: saved."))

        self._saving.submit(path.name, lambda cancelled: save_result(result, path, reference), done)

    def _copy(self, write: Callable[[RunRecord], str], what: str) -> None:
        try:
            record = self._record()
            if not record.scan.get("scan"):
                raise InputError(f"sampler: {record.source} is in no file, so no {what} repeats it; save the result.")
            text = write(record)
        except InputError as error:
            self._say(str(error))
            return
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(text)
        self.workbench.tell(Notice(NoticeKind.INFORMATION, f"The {what} that repeats this run is on the clipboard."))

    def _record(self) -> RunRecord:
        """Tell of the run there is or, before there is one, of the one that would be."""
        session = self.session
        if session.result is not None:
            return session.result.record
        if self.workbench.request is not None and self.workbench.under_way:
            raise InputError(
                "sampler: finish or cancel the run first; settings that changed during a run belong to that run."
            )
        if session.measurement is None or session.prior is None:
            raise InputError("sampler: open a scan and choose a model first.")
        return record_of(RunRequest(session.measurement, session.prior, session.settings, session.chains, session.seed))

    def _source(self) -> str:
        """Name the open scan as the command line does; nothing where it is in no file."""
        measurement = self.session.measurement
        origin = None if measurement is None else measurement.origin
        return "" if origin is None else str(origin.to_dict().get("scan", ""))

    def _tell_of_batch(self, sentence: str, wrong: bool) -> None:
        self.workbench.tell(Notice(NoticeKind.ERROR if wrong else NoticeKind.INFORMATION, sentence))

    def _say(self, sentence: str) -> None:
        self.workbench.tell(Notice(NoticeKind.ERROR, sentence))


def _line() -> QFrame:
    line = QFrame()
    line.setFrameShape(QFrame.Shape.HLine)
    return line
