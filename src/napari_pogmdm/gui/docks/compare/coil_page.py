"""The page of the Compare dock about coils: how much of the complete scan the coil maps leave unexplained."""

from __future__ import annotations

from collections.abc import Sequence

from qtpy.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from napari_pogmdm.gui.docks.compare.queue import ComparisonRow
from napari_pogmdm.gui.docks.compare.table import Column, NumberTable, TableRow

_COLUMNS = (
    Column("Method", "Whose coil maps"),
    Column(
        "Residual",
        "Norm of s_i Σ_j conj(s_j) x_j / RSS(s)² - x_i over that of the complete coil images x_i, eq. (28); lower is "
        "better, noise alone leaves some",
        "{:.2%}",
        -1,
    ),
)


class CoilPage(QWidget):
    """Null-space residuals of all methods that have coils."""

    def __init__(self) -> None:
        super().__init__()
        self.table = NumberTable(_COLUMNS, "Null-space residuals of the coil maps")
        self.remark = QLabel("What coil maps cannot explain of the complete scan, eq. (28).")
        self.remark.setWordWrap(True)
        self.show_maps = QPushButton("&Maps")
        self.show_maps.setToolTip("The residuals' root sum of squares side by side, at one contrast")
        row = QHBoxLayout()
        row.addWidget(self.remark, 1)
        row.addWidget(self.show_maps)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.addLayout(row)
        column.addWidget(self.table, 1)

    def show_rows(self, rows: Sequence[ComparisonRow]) -> None:
        """Fill in the residuals."""
        found = [(row.choice.label, row.result.coil_residual) for row in rows if row.result is not None]
        lines = [TableRow(label, (label, residual)) for label, residual in found if residual is not None]
        self.table.show_rows(lines)
        self.show_maps.setEnabled(bool(lines))
