"""The three panes of the Compare dock: what to run, what came of it, and a closer look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qtpy.QtCore import Qt
from qtpy.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from napari_pogmdm.gui.docks.compare.details import Details
from napari_pogmdm.gui.docks.compare.method_list import MethodList
from napari_pogmdm.gui.docks.compare.table import METHOD_COLUMNS, FigureTable

if TYPE_CHECKING:
    from napari.viewer import Viewer

    from napari_pogmdm.gui.core.session import Session

_LOWEST = 150
_SLICES_WIDTH = 116  # with napari's wide arrows


class ComparePanes(QSplitter):
    """Widgets and where they stand; what they do is the dock's business."""

    def __init__(self, viewer: Viewer, session: Session) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.methods = MethodList(session)
        self.run = QPushButton("&Run")
        self.run.setToolTip("Run the ticked methods one after the other; pressed again, stop and keep what is done")
        self.slices = QSpinBox()
        self.slices.setRange(1, 1)
        self.slices.setSuffix(" slice")
        self.slices.setMinimumWidth(_SLICES_WIDTH)
        self.slices.valueChanged.connect(lambda count: self.slices.setSuffix(" slice" if count == 1 else " slices"))
        self.slices.setToolTip("Compare on the shown slice, or on several spread evenly over the scan")
        self.progress = QProgressBar()
        self.progress.setRange(0, 1000)
        self.progress.setFormat("")
        self.table = FigureTable(METHOD_COLUMNS, "Methods and their figures")
        self.side_by_side = QPushButton("&Side by side")
        self.side_by_side.setCheckable(True)
        self.side_by_side.setToolTip("All images, or those of the selected rows, in a linked grid at one contrast")
        self.errors = QCheckBox("with &errors")
        self.errors.setChecked(True)
        self.errors.setToolTip("Below each image |image - fully sampled|, five times brighter")
        self.save = QPushButton("E&xport ...")
        self.save.setToolTip("The table (CSV), a panel with an enlarged detail (PNG), or the images (NIfTI)")
        self.remark = QLabel()
        self.details = Details(viewer)
        self._lay_out()

    def _lay_out(self) -> None:
        start, below = QHBoxLayout(), QHBoxLayout()
        start.addWidget(self.run)
        start.addWidget(self.slices)
        start.addWidget(self.progress, 1)
        for widget in (self.side_by_side, self.errors, self.save):
            below.addWidget(widget)
        below.addWidget(self.remark, 1)
        self.setChildrenCollapsible(False)
        for first, last, share in ((self.methods, start, 2), (self.table, below, 5)):
            pane = QWidget()
            column = QVBoxLayout(pane)
            column.setContentsMargins(0, 0, 0, 0)
            column.addWidget(first, 1)
            column.addLayout(last)
            self.addWidget(pane)
            self.setStretchFactor(self.count() - 1, share)
        self.addWidget(self.details)
        self.setStretchFactor(self.count() - 1, 2)
        self.setSizes([225, 490, 270])
        # what the panes would like to have must not make the dock scroll: they do with less
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.setMinimumHeight(_LOWEST)
