"""Which methods to compare, and the button that runs them: classical ones, and any number of models and presets."""

from __future__ import annotations

from qtpy.QtCore import Qt
from qtpy.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)
from superqt import QFlowLayout

from napari_pogmdm.evaluation.case import CLASSICAL_CHOICES, MethodChoice, obstacle
from napari_pogmdm.evaluation.rival_choices import rival_choices, seen_before
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.docks.combo import Combo
from napari_pogmdm.gui.docks.model_box import ModelBox
from napari_pogmdm.gui.docks.quiet_bar import QuietBar
from napari_pogmdm.gui.widgets.buttons import make_main
from napari_pogmdm.gui.widgets.plots import by_letters
from napari_pogmdm.prior.weights import list_models
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.sampler.presets import PRESETS

_CHOICE = Qt.ItemDataRole.UserRole
_TICKED_AT_FIRST = ("zero-filled", "cg-sense")
_AS_SET = "as set"
CHECKPOINT_FILTER = "Checkpoints (*.pt *.pth *.ckpt *.safetensors);;All files (*)"
_NAME_LENGTH = 6  # letters of the longest name of a shipped model
_NARROWEST = 150  # pixels: a preset beside its button
_LOWEST = 60  # pixels: three lines of the list
_SLICES_WIDTH = 116  # pixels: "99 slices" beside napari's wide arrows
_FINE = 1000  # steps of the progress bar: finer than its pixels


class MethodsBox(QWidget):
    """The ticked methods are compared.

    Parameters
    ----------
    session
        Whose model and settings are offered.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.list = QListWidget()
        self.setMinimumWidth(by_letters(_NARROWEST))
        self.list.setAccessibleName("Methods to compare")
        self.list.setMinimumHeight(by_letters(_LOWEST))
        self.list.setToolTip("Tick the methods to run; all get the same measurement")
        self.model = ModelBox(session, sized=False)
        self.model.setMinimumContentsLength(_NAME_LENGTH)
        self.model.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.preset = Combo()
        self.preset.setAccessibleName("Preset")
        self.preset.addItems([*PRESETS, _AS_SET])
        self.preset.setCurrentText("fast")
        self.preset.setToolTip(f"Settings of the sampler; '{_AS_SET}' takes those of the Sampler dock as they are now")
        self.add = QPushButton("&Add")
        self.add.setToolTip("Add this model with this preset to the list, ticked")
        self.add.clicked.connect(self.add_sampler)
        self.checkpoint = QPushButton("&Network ...")
        self.checkpoint.setToolTip("Add your own network: a checkpoint of a U-Net, VarNet or Deep J-Sense")
        self.run = make_main(QPushButton("&Run"))
        self.run.setToolTip("Run the ticked methods one after another; press again to stop and keep what is done")
        self.slices = QSpinBox()
        self.slices.setRange(1, 1)
        self.slices.setSuffix(" slice")
        self.slices.setMinimumWidth(by_letters(_SLICES_WIDTH))
        self.slices.valueChanged.connect(lambda count: self.slices.setSuffix(" slice" if count == 1 else " slices"))
        self.slices.setToolTip("Compare on the shown slice, or on several spread evenly over the scan")
        self.progress = QuietBar()
        self.progress.setRange(0, _FINE)
        self.progress.setFormat("")
        self.progress.setMinimumWidth(1)  # what it says is in the table, too
        self._lay_out()
        for choice in CLASSICAL_CHOICES:
            self._append(choice, choice.method in _TICKED_AT_FIRST)
        for choice in rival_choices():
            self._append(choice, False)
        self.add_sampler()
        self.follow_measurement(session.measurement)

    def _lay_out(self) -> None:
        adding, running = QFlowLayout(), QHBoxLayout()
        for widget in (self.model, self.preset, self.add, self.checkpoint):
            adding.addWidget(widget)
        running.addWidget(self.run)
        running.addWidget(self.slices)
        running.addWidget(self.progress, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list, 1)
        column.addLayout(adding)
        column.addLayout(running)

    @property
    def ticked(self) -> list[MethodChoice]:
        """What to compare, from top to bottom; what cannot run is left out."""
        return [
            item.data(_CHOICE)
            for item in self._items()
            if item.checkState() == Qt.CheckState.Checked and item.flags() & Qt.ItemFlag.ItemIsEnabled
        ]

    @property
    def labels(self) -> list[str]:
        """What the methods on the list are called."""
        return [item.text() for item in self._items()]

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
        self._append(MethodChoice(f"{title}, {name}", "pogmdm", parameters, source, settings), True)

    def add_choice(self, choice: MethodChoice) -> None:
        """Put a method on the list, ticked, or tick it if it is there."""
        self._append(choice, True)
        self.follow_measurement(self._session.measurement)

    def follow_measurement(self, measurement: Measurement | None) -> None:
        """Grey out what cannot run on a measurement, with the reason."""
        for item in self._items():
            choice: MethodChoice = item.data(_CHOICE)
            reason = obstacle(choice, measurement)
            flags = Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsSelectable
            item.setFlags(flags if reason else flags | Qt.ItemFlag.ItemIsEnabled)
            _, seen = seen_before(choice, measurement)
            meaning = f"{_MEANINGS[choice.method]}. {seen}" if seen else _MEANINGS[choice.method]
            item.setToolTip(f"{choice.label}: {reason}." if reason else meaning)

    def offer_slices(self, count: int) -> None:
        """Let up to so many slices be chosen."""
        self.slices.setRange(1, count)
        self.slices.setEnabled(count > 1)

    def show_progress(self, text: str, fraction: float, *, running: bool) -> None:
        """Say what runs and how far it is, or how it ended."""
        self.run.setText("&Cancel" if running else "&Run")
        self.progress.setValue(round(_FINE * fraction))
        self.progress.setFormat(text)

    def _items(self) -> list[QListWidgetItem]:
        found = (self.list.item(number) for number in range(self.list.count()))
        return [item for item in found if item is not None]

    def _append(self, choice: MethodChoice, ticked: bool) -> None:
        present = self.list.findItems(choice.label, Qt.MatchFlag.MatchExactly)
        item = present[0] if present else QListWidgetItem(choice.label)
        item.setData(_CHOICE, choice)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        item.setToolTip(_MEANINGS[choice.method])
        if not present:
            self.list.addItem(item)
        self.list.scrollToItem(item)


_MEANINGS = {
    "zero-filled": "Unmeasured samples are zero; root sum of squares over coils",
    "cg-sense": "Conjugate gradients with coils from the centre of k-space",
    "tv": "Total variation, eq. (27), with coils from the centre of k-space",
    "joint-tv": "Image and coils together, total variation on the image and smoothness on the coils",
    "espirit-cg": "Conjugate gradients with coils calibrated by ESPIRiT (SigPy), without background, smoothed",
    "l1-wavelet": "Compressed sensing: few wavelet coefficients (SigPy), with the same calibrated coils",
    "pogmdm": "The learned prior's sampler, image and coils together; one chain",
    "unet": "A network that improves the zero-filled magnitude image",
    "varnet": "A network for the coils, and cascades of networks with data consistency",
    "jsense": "Conjugate gradients for coils and image in turn, each followed by a network (Deep J-Sense)",
    "score-mri": "A score with scoreMRI's own predictor, corrector and data step",
}
