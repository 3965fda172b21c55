"""The page of the Compare dock about pinned runs: what made each, how good it is, and a comparison of two."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QFileDialog, QLabel, QTableWidgetItem, QVBoxLayout, QWidget
from superqt import QFlowLayout
from superqt.utils import signals_blocked

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import as_notice
from napari_pogmdm.gui.core.captions import settings_name
from napari_pogmdm.gui.core.pin import Pin, save_pins
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.compare.queue import ComparisonRow
from napari_pogmdm.gui.docks.compare.table import Column, NumberTable, TableRow
from napari_pogmdm.gui.widgets.buttons import button
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.runs.result_files import with_ending
from napari_pogmdm.runs.roles import Role

_COLUMNS = (
    Column("Name", "Double-click to rename it"),
    Column("Model", "Or method"),
    Column("Preset", "Preset, or own settings; the tooltip of a row lists all that differ from the default"),
    Column("Mask", "Kind of mask or trajectory; the tooltip of a row has all of it"),
    Column("R", "True acceleration", "{:.2f}"),
    Column("PSNR", "In dB, against the fully sampled image of its own slice; higher is better", "{:.2f}", 1),
    Column("SSIM", "Structural similarity, up to 1; higher is better", "{:.3f}", 1),
    Column("s", "Seconds that the run took", "{:.1f}"),
)
_NONE = "Press Pin in the Sampler dock, or below the table of methods: what is pinned stays, whatever comes next."
_LIVE = "this run"


class PinsPage(QWidget):
    """A table of pinned results and of the run that there is, and what can be done with selected ones.

    Parameters
    ----------
    workbench
        Whose results they are.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self.table = NumberTable(_COLUMNS, "Pinned runs and their numbers")
        self.compare = button("&A/B", "Show two selected results together, or one beside the fully sampled image")
        self.rename = button("Rena&me", "Rename the selected result (F2)")
        self.delete = button("&Delete", "Remove the selected results (Delete)")
        self.save = button("E&xport ...", "Write the table as CSV")
        self.remark = QLabel(_NONE)
        self.remark.setWordWrap(True)
        below = QFlowLayout()
        for made in (self.compare, self.rename, self.delete, self.save):
            below.addWidget(made)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.remark)
        column.addWidget(self.table, 1)
        column.addLayout(below)
        self.compare.clicked.connect(self._compare)
        self.rename.clicked.connect(self._edit_name)
        self.delete.clicked.connect(self._delete)
        self.save.clicked.connect(self._save_dialog)
        self.table.itemDoubleClicked.connect(lambda item: self._edit_name())
        self.table.itemChanged.connect(self._renamed)
        self.table.itemSelectionChanged.connect(self._follow_selection)

    def refresh(self) -> None:
        """Follow what is pinned, and the run."""
        session = self._workbench.session
        lines = [_line(pin) for pin in session.pins]
        live = self._live()
        with signals_blocked(self.table):
            self.table.show_rows([*lines, *([] if live is None else [live])])
        self.remark.setVisible(not session.pins)
        self.save.setEnabled(bool(session.pins))
        self._follow_selection()

    def save_as(self, path: Path) -> None:
        """Write the table as CSV."""
        save_pins(path, self._workbench.session.pins)

    def _live(self) -> TableRow | None:
        """Give the row of the run that there is, unless it is pinned."""
        bench, session = self._workbench, self._workbench.session
        request, result = bench.request, session.result
        if request is None or result is None or any(pin.image is result.image for pin in session.pins):
            return None
        sampling, reference = request.measurement.sampling, request.reference
        scores = None if reference is None else metrics(reference, result.image)
        quality = (None, None) if scores is None else (scores.psnr, scores.ssim)
        made = (_LIVE, request.prior.name, settings_name(request.settings), str(sampling.kind), sampling.acceleration)
        return TableRow(str(Role.IMAGE), (*made, *quality, result.record.seconds), "Not pinned yet")

    def _compare(self) -> None:
        chosen = self.table.chosen or self.table.keys[:2]
        self._guarded(lambda: self._workbench.pins.compare(chosen))

    def _delete(self) -> None:
        for role in self.table.chosen:
            if self._workbench.pins.find(role) is not None:
                self._workbench.pins.delete(role)

    def _edit_name(self) -> None:
        item = self._selected_name()
        if item is not None:
            with signals_blocked(self.table):
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            self.table.editItem(item)

    def _selected_name(self) -> QTableWidgetItem | None:
        """Find the cell with the name of the first selected pin."""
        chosen = [role for role in self.table.chosen if self._workbench.pins.find(role) is not None]
        return self.table.item(self.table.keys.index(chosen[0]), 0) if chosen else None

    def _renamed(self, item: QTableWidgetItem) -> None:
        role = self.table.keys[item.row()]
        if item.column() == 0 and self._workbench.pins.find(role) is not None:
            self._guarded(lambda: self._workbench.pins.rename(role, item.text()))
            self.refresh()

    def _save_dialog(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Export pinned runs", "pinned-runs.csv", "Table (*.csv)")
        if name:
            self._guarded(lambda: self.save_as(with_ending(name, ".csv")))

    def _follow_selection(self) -> None:
        chosen = self.table.chosen
        pinned = any(self._workbench.pins.find(role) is not None for role in chosen)
        self.compare.setEnabled(bool(self.table.keys))
        self.rename.setEnabled(pinned)
        self.delete.setEnabled(pinned)

    def _guarded(self, action: Callable[[], None]) -> None:
        try:
            action()
        except InputError as error:
            self._workbench.tell(as_notice(error, "compare"))


def pin_of(row: ComparisonRow, reference: FloatImage | None) -> Pin:
    """Make a pin of what a method gave; mask and scan are filled in by whoever knows them."""
    result = row.result
    if result is None:
        raise InputError(f"{row.choice.label}: has no image to pin yet.")
    method, _, settings = row.choice.label.partition(", ")
    return Pin("", "", result.image, method, settings, "", 0.0, "", result.seconds, result.metrics, reference)


def _line(pin: Pin) -> TableRow:
    scores = pin.metrics
    quality = (math.nan, math.nan) if scores is None else (scores.psnr, scores.ssim)
    kind = pin.mask.partition(",")[0]
    tip = "\n".join(part for part in (pin.source, pin.mask, pin.details) if part)
    return TableRow(pin.role, (pin.name, pin.method, pin.settings, kind, pin.acceleration, *quality, pin.seconds), tip)
