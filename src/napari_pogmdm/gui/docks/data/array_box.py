"""How to read a NumPy or BART array that does not say so itself: axes, array, trajectory and image size."""

from __future__ import annotations

from pathlib import Path

from qtpy.QtWidgets import QFileDialog, QFormLayout, QHBoxLayout, QLineEdit, QPushButton, QToolButton, QWidget

from napari_pogmdm.data.arrays.axes import AXES
from napari_pogmdm.data.reading import ReadOptions
from napari_pogmdm.gui.docks.base import Dock

ARRAY_ENDINGS = (".npy", ".npz", ".cfl", ".hdr")
"""Endings of files whose axes may have to be named."""


class ArrayBox(QWidget):
    """Reads an array again with other options.

    Parameters
    ----------
    dock
        Whose loader reads it.

    Attributes
    ----------
    axes, key, trajectory, matrix
        Fields, as `ReadOptions` has them.
    read_button
        Reads the file again.
    """

    def __init__(self, dock: Dock) -> None:
        super().__init__()
        self._loader = dock.workbench.loader
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        self.axes = self._field("slices,coils,rows,columns", f"Names of the axes, in order: {', '.join(AXES)}.")
        self.key = self._field("kspace", "Array of an .npz file that holds k-space.")
        self.trajectory = self._field("", "File with the positions of the samples, if they are not on a grid.")
        self.matrix = self._field("256", "Rows x columns of the image for a trajectory.")
        browse = QToolButton()
        browse.setText("...")
        browse.setToolTip("Choose the trajectory's file.")
        browse.clicked.connect(self._browse)
        row = QHBoxLayout()
        row.addWidget(self.trajectory, 1)
        row.addWidget(browse)
        form.addRow("Axes", self.axes)
        form.addRow("Array", self.key)
        form.addRow("Trajectory", row)
        form.addRow("Image size", self.matrix)
        self.read_button = QPushButton("&Read again")
        self.read_button.setToolTip("Read the file with these axes; empty fields are guessed.")
        self.read_button.clicked.connect(self.read_again)
        form.addRow(self.read_button)
        for field in (self.axes, self.key, self.trajectory, self.matrix):
            field.returnPressed.connect(self.read_again)

    @property
    def options(self) -> ReadOptions:
        """What the fields say."""
        fields = (self.axes, self.key, self.trajectory, self.matrix)
        return ReadOptions(*(field.text().strip() for field in fields))

    def is_for(self, source: str | Path) -> bool:
        """Tell whether a file is an array."""
        return Path(source).suffix in ARRAY_ENDINGS

    def read_again(self) -> None:
        """Read the file that was opened last with the options of the fields."""
        if self.is_for(self._loader.source):
            self._loader.open(self._loader.source, options=self.options)

    def _field(self, example: str, tip: str) -> QLineEdit:
        field = QLineEdit()
        field.setPlaceholderText(example)
        field.setToolTip(tip)
        return field

    def _browse(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Trajectory", "", "Arrays (*.npy *.npz *.cfl *.hdr)")
        if path:
            self.trajectory.setText(path)
