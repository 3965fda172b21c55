"""The results of a comparison: the table of methods, and buttons to see and save their images."""

from __future__ import annotations

from collections.abc import Sequence

from qtpy.QtWidgets import QCheckBox, QLabel, QPushButton, QVBoxLayout, QWidget
from superqt import QFlowLayout

from napari_pogmdm.evaluation.rival_choices import seen_before
from napari_pogmdm.gui.docks.compare.queue import ComparisonRow, RowState, status_text
from napari_pogmdm.gui.docks.compare.table import Column, NumberTable, TableRow
from napari_pogmdm.recon.measurement import Measurement

_COLUMNS = (
    Column("Method", "What reconstructed the measurement"),
    Column("PSNR / dB", "Peak signal-to-noise ratio against the fully sampled image; higher is better", "{:.2f}", 1),
    Column("SSIM", "Structural similarity, 7 × 7 window, up to 1; higher is better", "{:.3f}", 1),
    Column("NMSE", "Squared error over the squared reference, down to 0; lower is better", "{:.4f}", -1),
    Column("Seconds", "Time that the method took on this machine; until it is done, how far it is", "{:.1f}"),
    Column("Parameters", "Learned parameters; a classical method has none", "{:,}"),
    Column("Trained on", "Images and masks that a network was trained on, and whether this mask is one of them"),
)


class ResultsBox(QWidget):
    """A table with a row a method, and buttons below it.

    Attributes
    ----------
    remark
        What is to be known about all rows; the dock places it where it moves nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self.table = NumberTable(_COLUMNS, "Methods and their numbers")
        self.side_by_side = QPushButton("&Side by side")
        self.side_by_side.setCheckable(True)
        self.side_by_side.setToolTip("All images, or those of the selected rows, in a linked grid at one contrast")
        self.errors = QCheckBox("with &errors")
        self.errors.setChecked(True)
        self.errors.setToolTip("Below each image |image - fully sampled|, five times brighter")
        self.save = QPushButton("E&xport ...")
        self.save.setToolTip("The table (CSV), a panel with an enlarged detail (PNG), or the images (NIfTI)")
        self.pin = QPushButton("Pi&n")
        self.pin.setToolTip("Keep the images of the selected methods, or of all, to compare with those of other masks")
        self.remark = QLabel()
        below = QFlowLayout()
        for widget in (self.side_by_side, self.errors, self.pin, self.save):
            below.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table, 1)
        column.addLayout(below)

    def show_rows(self, rows: Sequence[ComparisonRow], remark: str, measurement: Measurement | None = None) -> None:
        """Fill in all rows.

        Parameters
        ----------
        rows
            What was compared.
        remark
            What is to be known about all of them.
        measurement
            Which they reconstruct, to say whether networks were trained on such.
        """
        self.table.show_rows([_table_row(row, measurement) for row in rows])
        self.remark.setText(remark)

    def selected(self, rows: Sequence[ComparisonRow]) -> list[ComparisonRow]:
        """Give the selected ones of some rows."""
        labels = self.table.chosen
        return [row for row in rows if row.choice.label in labels]


def _table_row(row: ComparisonRow, measurement: Measurement | None) -> TableRow:
    result, label = row.result, row.choice.label
    scores = None if result is None else result.metrics
    numbers = (None, None, None) if scores is None else (scores.psnr, scores.ssim, scores.nmse)
    seconds = result.seconds if result is not None and row.state is RowState.DONE else status_text(row)
    seen, sentence = seen_before(row.choice, measurement)
    tip = row.reason if row.state is RowState.FAILED else sentence
    return TableRow(label, (label, *numbers, seconds, row.choice.parameters or None, seen or None), tip)
