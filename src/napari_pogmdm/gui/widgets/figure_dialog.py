"""The dialog that asks how a figure should look and where it is saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qtpy.QtWidgets import QCheckBox, QComboBox, QDialog, QFileDialog, QFormLayout, QLabel, QSpinBox, QWidget

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.widgets.buttons import button, make_main
from napari_pogmdm.recon.publication import ENDINGS, FigureStyle, FigureWidth

_MOST_COLUMNS = 12  # of 20 mm on the widest figure
_FILES = "Picture, 300 dots an inch (*.png);;Drawing (*.svg);;Drawing (*.pdf)"


class FigureDialog(QDialog):
    """Choices for a figure of what is seen; they stay for the next one.

    Parameters
    ----------
    parent
        Upon which it stands.
    save
        Writes the figure.
    """

    def __init__(self, parent: QWidget, save: Callable[[Path, FigureStyle], None]) -> None:
        super().__init__(parent)
        self._save = save
        self.setWindowTitle("Figure of this view")
        self.width_box = QComboBox()
        self.width_box.addItems([str(width) for width in FigureWidth])
        self.width_box.setCurrentText(FigureWidth.TEXT)
        self.columns = QSpinBox()
        self.columns.setRange(0, _MOST_COLUMNS)
        self.columns.setSpecialValueText("as many as can be judged")
        self.light = QComboBox()
        self.light.addItems(["light", "dark"])
        self.detail = QCheckBox("enlarged detail in every panel")
        self.errors = QCheckBox("errors below images, where there is a reference")
        self.bars = QCheckBox("colour bars")
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.save = make_main(button("&Save...", "Choose a file: PNG, SVG or PDF"))
        form = QFormLayout(self)
        form.addRow("Width", self.width_box)
        form.addRow("Columns", self.columns)
        form.addRow("Paper", self.light)
        for box in (self.detail, self.errors, self.bars):
            box.setChecked(True)
            form.addRow(box)
        form.addRow(self.words)
        form.addRow(self.save)
        self.save.clicked.connect(self._ask)

    @property
    def style_chosen(self) -> FigureStyle:
        """What is chosen."""
        return FigureStyle(
            FigureWidth(self.width_box.currentText()),
            self.columns.value(),
            self.light.currentText() == "light",
            self.detail.isChecked(),
            self.errors.isChecked(),
            self.bars.isChecked(),
        )

    def save_as(self, path: Path) -> None:
        """Write the figure, or say in one sentence why not."""
        target = path if path.suffix else path.with_suffix(ENDINGS[0])
        try:
            self._save(target, self.style_chosen)
        except InputError as error:
            self.words.setText(str(error))
        else:
            self.words.setText(f"{target.name}: saved.")

    def _ask(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save the figure", "figure.png", _FILES)
        if name:
            self.save_as(Path(name))
            self.accept() if self.words.text().endswith("saved.") else None
