"""Sliders for slice, contrast, repetition and whatever else a scan counts, and what is being loaded."""

from __future__ import annotations

from qtpy.QtCore import Qt, Signal
from qtpy.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget
from superqt import QLabeledSlider
from superqt.utils import signals_blocked

from napari_pogmdm.data.acquisition import Scan
from napari_pogmdm.data.dimensions import counters_of, dimensions_of, index_of
from napari_pogmdm.data.raw.lines import COUNTERS

_TIPS = {
    "slice": "Slice of the volume; the arrow keys also move it.",
    "contrast": "Contrast: echo of a multi-echo scan, or whatever else the scanner counts as one.",
    "repetition": "Repetition: the same slices at another time.",
}


class ImageChooser(QWidget):
    """Chooses one image of a scan; there is a slider for every counter that counts.

    Attributes
    ----------
    sliders
        By the names of the counters.
    loading_label
        Says what is being loaded.
    cancel_button
        Gives it up.
    """

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._scan: Scan | None = None
        self._rows: dict[str, QWidget] = {}
        self.sliders: dict[str, QLabeledSlider] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for name in COUNTERS:
            column.addWidget(self._make_row(name))
        self.loading_label = QLabel()
        self.loading_label.setWordWrap(True)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setToolTip("Stop loading; what is open stays open.")
        row = QHBoxLayout()
        row.addWidget(self.loading_label, 1)
        row.addWidget(self.cancel_button)
        column.addLayout(row)
        self.show_loading("")

    def show_scan(self, scan: Scan | None, index: int) -> None:
        """Set the sliders to an image of a scan.

        Parameters
        ----------
        scan
            What is open.
        index
            Of the image in it.
        """
        self._scan = scan
        sizes = {"slice": 1} if scan is None else dimensions_of(scan)
        places = {} if scan is None else counters_of(scan, index)
        for name, slider in self.sliders.items():
            count = sizes.get(name, 1)
            self._rows[name].setVisible(name == "slice" or count > 1)
            with signals_blocked(slider):
                slider.setRange(0, count - 1)
                slider.setValue(places.get(name, 0))
            slider.setEnabled(count > 1)

    def show_loading(self, name: str, more: str = "") -> None:
        """Say what is being loaded, and how far it is.

        Parameters
        ----------
        name
            Of the file; empty for none.
        more
            Words about how far it is.
        """
        self.loading_label.setText(f"Loading {name} ... {more}".rstrip() if name else "")
        self.loading_label.setVisible(bool(name))
        self.cancel_button.setVisible(bool(name))

    def _make_row(self, name: str) -> QWidget:
        slider = QLabeledSlider(Qt.Orientation.Horizontal)
        slider.setAccessibleName(name.capitalize())
        slider.setToolTip(_TIPS.get(name, f"The scanner's counter of that name: {name}."))
        slider.valueChanged.connect(self._choose)
        self.sliders[name] = slider
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(QLabel(name.capitalize()))
        line.addWidget(slider, 1)
        self._rows[name] = row
        return row

    def _choose(self) -> None:
        if self._scan is not None:
            sizes = dimensions_of(self._scan)
            self.chosen.emit(index_of(self._scan, {name: self.sliders[name].value() for name in sizes}))
