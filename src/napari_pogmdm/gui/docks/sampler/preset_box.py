"""Whole sets of settings by name or from files, with seed and number of chains."""

from __future__ import annotations

from pathlib import Path

from qtpy.QtCore import Signal
from qtpy.QtWidgets import QComboBox, QFileDialog, QFormLayout, QHBoxLayout, QLabel, QPushButton, QSpinBox, QWidget
from superqt.utils import signals_blocked

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.core.session import LARGEST_SEED, Session
from napari_pogmdm.gui.docks.base import explaining, with_more
from napari_pogmdm.gui.docks.combo import Combo
from napari_pogmdm.recon.defaults import MOST_CHAINS
from napari_pogmdm.recon.sampler.preset_file import read_settings, save_settings
from napari_pogmdm.recon.sampler.presets import PRESETS
from napari_pogmdm.runs.result_files import with_ending

_OWN = "own"
_FILES = "Settings or records (*.json *.h5);;All files (*)"
_COUNT_PIXELS = 76  # a width that lets the dock stay as narrow as the others
_TIPS = {
    "paper": "the paper's Algorithm 1 with its settings",
    "default": "best images, in seconds",
    "fast": "a first look",
    "posterior": "one sample; several chains tell how sure the image is",
    "paper-tuned": "Algorithm 1 with its free parameters chosen",
}
_REMARKS = {
    "paper": "Algorithm 1 as printed, for study. On a measured head it ends 5.5 dB (C4/8) and 0.9 dB (G8) below "
    "<i>default</i>. Two lines cost most: the coil update, which lets RSS(<i>s</i>) drift (2.5 and 0.2 dB), and the "
    "start from the zero-filled image.",
    "paper-tuned": "Algorithm 1 with N and t<sub>0</sub> as printed, <i>r</i>, λ and the coils' settings tuned, and "
    "RSS(<i>s</i>) kept at 1. On a small simulated head one chain is 2.4 dB above <i>paper</i> and 1.9 dB below "
    "<i>posterior</i>.",
}
"""Why images of a preset are not the best; the figures are those of the page on uncertainty."""
_PAGE = "uncertainty"


class PresetBox(QWidget):
    """Chooses presets, loads and saves settings, and sets seed and chains.

    Parameters
    ----------
    session
        Whose settings, seed and chains are chosen.

    Attributes
    ----------
    remark
        Line about the chosen preset, for the dock to place: it is as high as its width asks for there alone.
    refused
        Signal with a sentence about a file that could not be used.
    """

    refused = Signal(str)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.preset = Combo()
        self.preset.addItems((*sorted(PRESETS, key=lambda name: name != "default"), _OWN))
        self.preset.setMinimumContentsLength(5)
        self.preset.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.preset.setToolTip("; ".join(f"{name}: {tip}" for name, tip in _TIPS.items()))
        self.remark = explaining("")
        self.load = QPushButton("Load...")
        self.load.setToolTip("Take the settings of a JSON file, or of the run that made a result file")
        self.store = QPushButton("Save...")
        self.store.setToolTip("Write the settings to a JSON file")
        self.seed = _count(
            0, LARGEST_SEED, "Seed of the first chain; the same seed gives the same bits on the same device"
        )
        self.chains = _count(
            1, MOST_CHAINS, "Chains to draw, one after another; they give a mean and show where they disagree"
        )
        for widget, name in ((self.preset, "Preset"), (self.seed, "Seed"), (self.chains, "Chains")):
            widget.setAccessibleName(name)
        layout = QFormLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setVerticalSpacing(4)
        first = QHBoxLayout()
        first.setSpacing(4)
        first.addWidget(self.preset, 1)
        first.addWidget(self.load)
        first.addWidget(self.store)
        layout.addRow("Preset", first)
        second = QHBoxLayout()
        second.addWidget(self.seed, 1)
        second.addWidget(QLabel("Chains"))
        second.addWidget(self.chains, 1)
        layout.addRow("Seed", second)
        self.preset.currentTextChanged.connect(self._choose)
        self.load.clicked.connect(self._load)
        self.store.clicked.connect(self._store)
        self.seed.valueChanged.connect(lambda value: setattr(session, "seed", value))
        self.chains.valueChanged.connect(lambda value: setattr(session, "chains", value))
        self.refresh()

    def refresh(self) -> None:
        """Follow the session."""
        session = self._session
        name = next((name for name, settings in PRESETS.items() if settings == session.settings), _OWN)
        with signals_blocked(self.preset), signals_blocked(self.seed), signals_blocked(self.chains):
            self.preset.setCurrentText(name)
            self.seed.setValue(session.seed)
            self.chains.setValue(session.chains)
        self.remark.setText(with_more(_REMARKS.get(name, ""), _PAGE))
        self.remark.setVisible(name in _REMARKS)

    def lock(self, locked: bool) -> None:
        """Leave nothing open to change but saving."""
        for widget in (self.preset, self.load, self.seed, self.chains):
            widget.setEnabled(not locked)

    def _choose(self, name: str) -> None:
        if name in PRESETS:
            self._session.settings = PRESETS[name]
        self.refresh()

    def _load(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Load settings", "", _FILES)
        if name:
            try:
                self._session.settings = read_settings(Path(name))
            except InputError as error:
                self.refused.emit(str(error))

    def _store(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save settings", "settings.json", "JSON (*.json)")
        if name:
            try:
                save_settings(self._session.settings, with_ending(name, ".json"))
            except InputError as error:
                self.refused.emit(str(error))


def _count(low: int, high: int, tip: str) -> QSpinBox:
    box = QSpinBox()
    box.setRange(low, high)
    box.setToolTip(tip)
    box.setMinimumWidth(_COUNT_PIXELS)
    return box
