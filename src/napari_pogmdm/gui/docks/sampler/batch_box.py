"""Reconstructs all slices of a scan, or a folder of scans, one after another, as fast as the terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from qtpy.QtCore import QProcess, Signal
from qtpy.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFileDialog,
    QGridLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from napari_pogmdm.data.sources import scans_in
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.batch import BatchJob, JobState, jobs_for, seconds_left
from napari_pogmdm.gui.docks.base import LINK
from napari_pogmdm.gui.docks.quiet_bar import QuietBar
from napari_pogmdm.gui.docks.sampler.run_text import time_text
from napari_pogmdm.gui.widgets.buttons import button
from napari_pogmdm.gui.widgets.readout import Readout
from napari_pogmdm.runs.result_files import with_ending

_FINE = 1000  # steps of the progress bar: finer than its pixels
_BAR_HEIGHT = 8  # pixels; what it means stands below it
_TABLE_HEIGHT = 110  # pixels: four rows
_PATIENCE = 2000  # milliseconds that a cancelled command has to end by itself
_HEADS = ("Scan", "Progress", "PSNR / dB")
RESULTS = "results"
"""Folder beside scans into which their results are written."""


class BatchBox(QWidget):
    """A queue of commands, and a table of what became of them.

    Parameters
    ----------
    command
        Gives the command for a scan, its result and a cluster, as the docks are set now; raises `InputError` if there
        is none.
    source
        Gives the scan that is open, as the command line names it; empty for none.

    Attributes
    ----------
    told
        Signal with a sentence, and whether something went wrong.
    opened
        Signal with the path of a result that was double-clicked.
    jobs
        All of the queue, done or not.
    """

    told = Signal(str, bool)
    opened = Signal(str)

    def __init__(self, command: Callable[[str, Path, str], list[str]], source: Callable[[], str]) -> None:
        super().__init__()
        self._command = command
        self._source = source
        self._process: QProcess | None = None
        self._commands: list[list[str]] = []
        self.jobs: list[BatchJob] = []
        self.all_slices = button("All slices...", "Reconstruct all slices of the open scan with these settings")
        self.folder = button("Folder...", "Reconstruct all scans of a folder, all slices, with these settings")
        self.cancel = button("Cancel", "Stop; scans that are done keep their results")
        self.cluster = QLineEdit()
        self.cluster.setAccessibleName("Cluster")
        self.cluster.setPlaceholderText("Run on cluster: local:4, tcp://host:8786 or a file")
        self.cluster.setToolTip("Where slices run, as --cluster takes it; empty runs them here, one after the other")
        self.table = QTableWidget(0, len(_HEADS))
        self.table.setAccessibleName("Batch")
        self.table.setHorizontalHeaderLabels(_HEADS)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setFixedHeight(_TABLE_HEIGHT)
        self.table.setToolTip("Double-click a scan that is done to open its result")
        across, down = self.table.horizontalHeader(), self.table.verticalHeader()
        if across is not None and down is not None:
            across.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
            down.hide()
        self.bar = QuietBar()
        self.bar.setRange(0, _FINE)
        self.bar.setTextVisible(False)
        self.bar.setMaximumHeight(_BAR_HEIGHT)
        self.words = Readout()
        self.dashboard = QLabel()
        self.dashboard.setOpenExternalLinks(True)
        self.dashboard.setToolTip("What the cluster's workers do just now, as dask shows it in a browser")
        self.dashboard.hide()
        grid = QGridLayout()
        for place, made in enumerate((self.all_slices, self.folder, self.cancel)):
            grid.addWidget(made, 0, place)
        grid.addWidget(self.cluster, 1, 0, 1, 3)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(grid)
        column.addWidget(self.table)
        column.addWidget(self.bar)
        column.addWidget(self.words)
        column.addWidget(self.dashboard)  # below everything, so that nothing moves when it appears
        self.all_slices.clicked.connect(self._ask_file)
        self.folder.clicked.connect(self._ask_folder)
        self.cancel.clicked.connect(self.stop)
        self.table.itemDoubleClicked.connect(self._open)
        application = QApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.stop)
        self.refresh()

    @property
    def busy(self) -> bool:
        """Whether a command runs."""
        return self._process is not None

    def start(self, jobs: Sequence[BatchJob]) -> None:
        """Queue scans; the settings of the docks are taken now, and may change afterwards."""
        try:
            commands = [self._command(job.source, job.output, self.cluster.text().strip()) for job in jobs]
            for folder in {job.output.parent for job in jobs}:
                folder.mkdir(parents=True, exist_ok=True)
        except InputError as error:
            self.told.emit(str(error), True)
            return
        except OSError as error:
            self.told.emit(f"batch: the folder of results cannot be made ({error.strerror}).", True)
            return
        if not self.busy:
            self.jobs, self._commands = [], []
        self.jobs += jobs
        self._commands += commands
        if not self.busy:
            self._next()

    def start_folder(self, folder: Path) -> None:
        """Queue all scans of a folder; results go into a folder in it."""
        try:
            jobs = jobs_for(scans_in(folder), folder / RESULTS)
        except InputError as error:
            self.told.emit(str(error), True)
        except OSError as error:
            self.told.emit(f"{folder}: cannot be read ({error.strerror}).", True)
        else:
            self.start(jobs)

    def stop(self) -> None:
        """End the command that runs, and forget those that wait; no half of a result is left behind."""
        for job in self.jobs:
            if job.state in {JobState.WAITING, JobState.RUNNING}:
                job.state = JobState.CANCELLED
        process = self._process
        if process is not None:
            process.terminate()
            if not process.waitForFinished(_PATIENCE):
                process.kill()
        self.refresh()

    def refresh(self) -> None:
        """Fill the table in."""
        self.table.setRowCount(len(self.jobs))
        for line, job in enumerate(self.jobs):
            quality = "" if job.quality is None else f"{job.quality:.2f}"
            for place, text in enumerate((Path(job.source).name, job.words, quality)):
                item = self.table.item(line, place)
                if item is None:  # Qt warns if the table is given an item that it has
                    item = QTableWidgetItem()
                    self.table.setItem(line, place, item)
                item.setText(text)
                item.setToolTip(job.reason or str(job.output))
        self.cancel.setEnabled(self.busy)
        done = sum(job.fraction for job in self.jobs)
        self.bar.setValue(round(_FINE * done / max(len(self.jobs), 1)))
        self.words.setText(self._summary())
        address = next((job.dashboard for job in reversed(self.jobs) if job.dashboard), "")
        self.dashboard.setText(f'<a href="{address}" style="color: {LINK}">Dashboard of the cluster</a>: {address}')
        self.dashboard.setVisible(bool(address) and self.busy)

    def _summary(self) -> str:
        if not self.jobs:
            return "Runs beside the window, at the terminal's speed."
        finished = sum(job.state is JobState.DONE for job in self.jobs)
        failed = sum(job.state is JobState.FAILED for job in self.jobs)
        parts = [f"{finished} of {len(self.jobs)} done", *([f"{failed} failed"] if failed else [])]
        left = seconds_left(self.jobs, time.monotonic()) if self.busy else None
        return ", ".join([*parts, *([] if left is None else [f"{time_text(left)} left"])])

    def _next(self) -> None:
        """Begin the next command that waits."""
        waiting = [place for place, job in enumerate(self.jobs) if job.state is JobState.WAITING]
        if not waiting:
            if self.jobs:
                self.told.emit(f"batch: {self._summary()}.", any(job.state is JobState.FAILED for job in self.jobs))
            self.refresh()
            return
        job, command = self.jobs[waiting[0]], self._commands[waiting[0]]
        job.state, job.began = JobState.RUNNING, time.monotonic()
        process = QProcess(self)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        process.readyReadStandardOutput.connect(lambda: self._hear(process, job))
        process.finished.connect(lambda code, status: self._ended(process, job, code))
        process.errorOccurred.connect(lambda error: self._not_started(process, job))
        self._process = process
        process.start(command[0], command[1:])
        self.refresh()

    def _hear(self, process: QProcess, job: BatchJob) -> None:
        while process.canReadLine():
            job.hear(process.readLine().data().decode(errors="replace").strip())
        self.refresh()

    def _ended(self, process: QProcess, job: BatchJob, code: int) -> None:
        job.hear(process.readAll().data().decode(errors="replace").strip())
        job.end(code)
        self._process = None
        process.deleteLater()
        self._next()

    def _not_started(self, process: QProcess, job: BatchJob) -> None:
        if process.state() == QProcess.ProcessState.NotRunning and self._process is process:
            job.reason = "the command could not be started"
            self._ended(process, job, 1)

    def _ask_file(self) -> None:
        source = self._source()
        if not source:
            self.told.emit("batch: open a scan that is in a file first.", True)
            return
        usual = f"{Path(source).stem}-result.h5"
        name, _ = QFileDialog.getSaveFileName(self, "Results of all slices", usual, "HDF5 (*.h5)")
        if name:
            self.start([BatchJob(source, with_ending(name, ".h5"))])

    def _ask_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Folder of scans")
        if name:
            self.start_folder(Path(name))

    def _open(self, item: QTableWidgetItem) -> None:
        job = self.jobs[item.row()]
        if job.state is JobState.DONE:
            self.opened.emit(str(job.output))
