"""What can be chosen in the Inspector: models, image, noise level, and what is drawn."""

from __future__ import annotations

from collections.abc import Sequence

from qtpy.QtCore import QSignalBlocker, Qt, Signal
from qtpy.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QSlider,
    QWidget,
)

from napari_pogmdm.gui.docks.inspector.noise_scale import HIGHEST, TICKS, level_at, tick_of
from napari_pogmdm.prior.configuration import VARIANTS

CHOSEN_MODEL = "chosen model"
NOTHING = "nothing"
CURRENT_IMAGE = "current image"


class Controls(QWidget):
    """The settings of the Inspector.

    Attributes
    ----------
    models_changed, image_changed, level_changed, options_changed
        Signals when the user chose something.
    """

    models_changed = Signal()
    image_changed = Signal()
    level_changed = Signal()
    options_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.model = _combo("Model to look into; the chosen model is the one of the Model dock.", "model")
        self.model.addItems([CHOSEN_MODEL, *VARIANTS])
        self.beside = _combo("A second model, drawn beside the first on the same axes.", "second model")
        self.beside.addItems([NOTHING, *VARIANTS])
        self.image = _combo("The image whose filter responses are counted and probed.", "image")
        self.image.addItem(CURRENT_IMAGE)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, TICKS)
        self.slider.setPageStep(20)
        self.slider.setAccessibleName("noise level")
        self.slider.setToolTip("Noise level √2t, the standard deviation of noise in X<sub>t</sub>; finer near zero.")
        self.level_box = QDoubleSpinBox()
        self.level_box.setRange(0.0, HIGHEST)
        self.level_box.setDecimals(3)
        self.level_box.setSingleStep(0.005)
        self.level_box.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        self.level_box.setFixedWidth(62)
        self.level_box.setAccessibleName("noise level, number")
        self.level_box.setToolTip(self.slider.toolTip())
        self.follow = _check("follow the &run", "Keep the noise level at that of the sampler's image.", True)
        self.diffuse = _check(
            "add &noise",
            "Add noise of the chosen level to a clean image before asking the model: "
            "X<sub>t</sub> = X<sub>0</sub> + √2t N. The sampler's own image is taken as it is.",
            True,
        )
        self.slopes = _check("&derivatives", "Show φ<sub>k</sub>, the derivatives of the potentials, instead.", False)
        self.counted = _check("&marginals", "Lay −log of the counted responses over the potentials.", True)
        self.zoomed = _check("&zoom to data", "Show only the responses that occur in the image.", False)
        self.saving = QPushButton("&Save plot ...")
        self.saving.setToolTip("Save a plot of the shown page as PNG, SVG or CSV.")
        self._arrange()
        self._connect()
        self.set_level(0.1)

    @property
    def level(self) -> float:
        """Noise level sqrt(2t)."""
        return float(self.level_box.value())

    def set_level(self, level: float) -> None:
        """Show a noise level without telling anybody."""
        with QSignalBlocker(self.slider), QSignalBlocker(self.level_box):
            self.level_box.setValue(level)
            self.slider.setValue(tick_of(level))

    def set_images(self, names: Sequence[str]) -> None:
        """Offer these layers, and keep the choice if it is still there."""
        wanted = [CURRENT_IMAGE, *names]
        if [self.image.itemText(index) for index in range(self.image.count())] == wanted:
            return
        before = self.image.currentText()
        with QSignalBlocker(self.image):
            self.image.clear()
            self.image.addItems(wanted)
            self.image.setCurrentText(before if before in wanted else CURRENT_IMAGE)
        if self.image.currentText() != before:
            self.image_changed.emit()

    def _arrange(self) -> None:
        noise = QHBoxLayout()
        noise.addWidget(self.slider, 1)
        noise.addWidget(self.level_box)
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(3)
        form.setHorizontalSpacing(6)
        form.addRow("Model", self.model)
        form.addRow("Beside", self.beside)
        form.addRow("Image", self.image)
        form.addRow("Noise √2t", noise)
        checks = QGridLayout()
        checks.setContentsMargins(0, 0, 0, 0)
        checks.setVerticalSpacing(1)
        for index, box in enumerate((self.follow, self.diffuse, self.slopes, self.counted, self.zoomed)):
            checks.addWidget(box, index // 2, index % 2)
        checks.addWidget(self.saving, 2, 1)
        form.addRow(checks)

    def _connect(self) -> None:
        for combo in (self.model, self.beside):
            combo.currentIndexChanged.connect(lambda index: self.models_changed.emit())
        self.image.currentIndexChanged.connect(lambda index: self.image_changed.emit())
        self.slider.valueChanged.connect(self._slid)
        self.level_box.valueChanged.connect(self._typed)
        self.diffuse.toggled.connect(lambda on: self.image_changed.emit())
        for box in (self.slopes, self.counted, self.zoomed, self.follow):
            box.toggled.connect(lambda on: self.options_changed.emit())

    def _slid(self, tick: int) -> None:
        with QSignalBlocker(self.level_box):
            self.level_box.setValue(level_at(tick))
        self.level_changed.emit()

    def _typed(self, level: float) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(tick_of(level))
        self.level_changed.emit()


def _combo(tip: str, name: str) -> QComboBox:
    combo = QComboBox()
    combo.setToolTip(tip)
    combo.setAccessibleName(name)
    combo.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return combo


def _check(text: str, tip: str, on: bool) -> QCheckBox:
    box = QCheckBox(text)
    box.setToolTip(tip)
    box.setChecked(on)
    return box
