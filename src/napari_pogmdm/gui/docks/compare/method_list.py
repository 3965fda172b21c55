"""Which methods to compare: ticks for the classical ones, and as many models and presets as one likes."""

from __future__ import annotations

from typing import Any

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QComboBox, QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from napari_pogmdm.evaluation.case import CLASSICAL, Contender, obstacle
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.docks.model_box import ModelBox
from napari_pogmdm.prior.weights import list_models
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.sampler.presets import PRESETS

_CONTENDER = Qt.ItemDataRole.UserRole
_TICKED_AT_FIRST = ("zero-filled", "cg-sense")
_AS_SET = "as set"
_LOWEST = 60


class MethodList(QWidget):
    """The ticked ones are compared."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.list = QListWidget()
        self.list.setAccessibleName("Methods to compare")
        self.list.setMinimumHeight(_LOWEST)
        self.list.setToolTip("Tick the methods to run; all get the same measurement")
        self.model = ModelBox(session, sized=False)
        self.model.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.preset = QComboBox()
        self.preset.setAccessibleName("Preset")
        self.preset.addItems([*PRESETS, _AS_SET])
        self.preset.setCurrentText("fast")
        self.preset.setToolTip(f"Settings of the sampler; '{_AS_SET}' takes those of the Sampler dock as they are now")
        self.add = QPushButton("&Add")
        self.add.setToolTip("Add this model with this preset to the list, ticked")
        self.add.clicked.connect(self.add_sampler)
        row = QHBoxLayout()
        row.addWidget(self.model, 1)
        row.addWidget(self.preset)
        row.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list, 1)
        column.addLayout(row)
        for contender in CLASSICAL:
            self._append(contender, contender.method in _TICKED_AT_FIRST)
        self.add_sampler()
        self.follow_measurement(session.measurement)

    @property
    def ticked(self) -> list[Contender]:
        """What to compare, from top to bottom; what cannot run is left out."""
        items = [self.list.item(number) for number in range(self.list.count())]
        return [
            item.data(_CONTENDER)
            for item in items
            if item.checkState() == Qt.CheckState.Checked and item.flags() & Qt.ItemFlag.ItemIsEnabled
        ]

    def tick(self, label: str, wanted: bool = True) -> None:
        """Tick a method by its label."""
        for item in self.list.findItems(label, Qt.MatchFlag.MatchExactly):
            item.setCheckState(Qt.CheckState.Checked if wanted else Qt.CheckState.Unchecked)

    def add_sampler(self) -> None:
        """Put the chosen model and preset on the list, or tick it if it is there."""
        source, name = self.model.source, self.preset.currentText()
        settings = PRESETS.get(name, self._session.settings)
        known = {entry.name: entry.parameter_count for entry in list_models()}
        prior = self._session.prior
        if source in known or prior is None:
            title, parameters = source, known.get(source, 0)
        else:
            title, parameters = prior.name, prior.parameter_count
        self._append(Contender(f"{title}, {name}", "pogmdm", parameters, source, settings), True)

    def follow_measurement(self, measurement: Measurement | None) -> None:
        """Grey out what cannot run on a measurement, with the reason."""
        for number in range(self.list.count()):
            item = self.list.item(number)
            contender: Contender = item.data(_CONTENDER)
            reason = obstacle(contender, measurement)
            flags = Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsSelectable
            item.setFlags(flags if reason else flags | Qt.ItemFlag.ItemIsEnabled)
            item.setToolTip(f"{contender.label}: {reason}." if reason else _what_it_is(contender))

    def _append(self, contender: Contender, ticked: bool) -> None:
        present = self.list.findItems(contender.label, Qt.MatchFlag.MatchExactly)
        item: Any = present[0] if present else QListWidgetItem(contender.label)
        item.setData(_CONTENDER, contender)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        item.setToolTip(_what_it_is(contender))
        if not present:
            self.list.addItem(item)
        self.list.scrollToItem(item)


def _what_it_is(contender: Contender) -> str:
    meanings = {
        "zero-filled": "Unmeasured samples are zero; root sum of squares over coils",
        "cg-sense": "Conjugate gradients with coils from the centre of k-space",
        "tv": "Total variation, eq. (27), with coils from the centre of k-space",
        "joint-tv": "Image and coils together, total variation on the image and smoothness on the coils",
        "espirit-cg": "Conjugate gradients with coils calibrated by ESPIRiT (SigPy)",
        "pogmdm": "The learned prior's sampler, image and coils together; one chain",
    }
    return meanings[contender.method]
