"""What can be chosen in the Inspector: models, image, noise level, and what is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence

from qtpy.QtCore import Qt, Signal
from qtpy.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QSlider,
    QWidget,
)
from superqt.utils import signals_blocked

from napari_pogmdm.gui.docks.columns import Columns
from napari_pogmdm.gui.docks.combo import Combo
from napari_pogmdm.prior.configuration import MODEL_NAMES

CHOSEN_MODEL = "chosen model"
NOTHING = "nothing"
CURRENT_IMAGE = "current image"
TICKS = 400  # of the slider: more than it has pixels
HIGHEST = 1.0  # sigma at its end: noise as strong as the brightest pixel
_BEND = 5.0  # how much finer the slider is near zero, where potentials change fastest: 150 times
_PAGE_TICKS = 20  # that Page Up moves
_FIRST_SIGMA = 0.1  # one of the paper's levels
_SIGMA_TIP = (
    "Noise level sigma: standard deviation of the noise in x<sub>t</sub>, where the brightest pixel is 1; finer near "
    "zero. The paper writes √(2t) for it, and ζ in the sampler."
)


class OptionsBox(QWidget):
    """Models, image, noise level, and what is drawn of them.

    Attributes
    ----------
    models_changed, image_changed, sigma_changed, options_changed
        Signals when the user chose something.
    """

    models_changed = Signal()
    image_changed = Signal()
    sigma_changed = Signal()
    options_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.model = _combo("Model to look into; the chosen model is the one of the Model dock.", "model")
        self.model.addItems([CHOSEN_MODEL, *MODEL_NAMES])
        self.beside = _combo("A second model, drawn beside the first on the same axes.", "second model")
        self.beside.addItems([NOTHING, *MODEL_NAMES])
        self.image = _combo("The image whose filter responses are counted and shown at a pixel.", "image")
        self.image.addItem(CURRENT_IMAGE)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, TICKS)
        self.slider.setPageStep(_PAGE_TICKS)
        self.slider.setAccessibleName("sigma")
        self.slider.setToolTip(_SIGMA_TIP)
        self.sigma_box = QDoubleSpinBox()
        self.sigma_box.setRange(0.0, HIGHEST)
        self.sigma_box.setDecimals(3)
        self.sigma_box.setSingleStep(0.005)
        self.sigma_box.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        self.sigma_box.setAccessibleName("sigma, as a number")
        self.sigma_box.setToolTip(_SIGMA_TIP)
        self.follow = _check("follow the &run", "Keep the noise level at that of the sampler's image.", True)
        self.diffuse = _check(
            "add &noise",
            "Add noise of the chosen level to a clean image before asking the model: "
            "x<sub>t</sub> = x<sub>0</sub> + σ z, with z normal. The sampler's own image is taken as it is.",
            True,
        )
        self.slopes = _check("&derivatives", "Show φ<sub>k</sub>, the derivatives of the potentials, instead.", False)
        self.counted = _check("&marginals", "Lay −log of the counted responses over the potentials.", True)
        self.zoomed = _check(
            "&zoom to data", "Show only the responses that occur: at the pixel under the mouse, or in the image.", True
        )
        self.saving = QPushButton("&Save plot ...")
        self.saving.setToolTip("Save a plot of the shown page as PNG, SVG or CSV.")
        self._arrange()
        self._connect()
        self.set_sigma(_FIRST_SIGMA)

    @property
    def sigma(self) -> float:
        """The chosen noise level."""
        return float(self.sigma_box.value())

    def set_sigma(self, sigma: float) -> None:
        """Show a noise level without telling anybody."""
        with signals_blocked(self.slider), signals_blocked(self.sigma_box):
            self.sigma_box.setValue(sigma)
            self.slider.setValue(tick_of(sigma))

    def set_images(self, names: Sequence[str]) -> None:
        """Offer these layers, and keep the choice if it is still there."""
        wanted = [CURRENT_IMAGE, *names]
        if [self.image.itemText(index) for index in range(self.image.count())] == wanted:
            return
        before = self.image.currentText()
        with signals_blocked(self.image):
            self.image.clear()
            self.image.addItems(wanted)
            self.image.setCurrentText(before if before in wanted else CURRENT_IMAGE)
        if self.image.currentText() != before:
            self.image_changed.emit()

    def _arrange(self) -> None:
        noise = QHBoxLayout()
        noise.addWidget(self.slider, 1)
        noise.addWidget(self.sigma_box)
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(3)
        form.setHorizontalSpacing(6)
        form.addRow("Model", self.model)
        form.addRow("Beside", self.beside)
        form.addRow("Image", self.image)
        form.addRow("Sigma", noise)
        boxes = (self.follow, self.diffuse, self.slopes, self.counted, self.zoomed, self.saving)
        form.addRow(Columns(boxes, most=2, between=1))

    def _connect(self) -> None:
        for combo in (self.model, self.beside):
            combo.currentIndexChanged.connect(lambda index: self.models_changed.emit())
        self.image.currentIndexChanged.connect(lambda index: self.image_changed.emit())
        self.slider.valueChanged.connect(self._slid)
        self.sigma_box.valueChanged.connect(self._typed)
        self.diffuse.toggled.connect(lambda on: self.image_changed.emit())
        for box in (self.slopes, self.counted, self.zoomed, self.follow):
            box.toggled.connect(lambda on: self.options_changed.emit())

    def _slid(self, tick: int) -> None:
        with signals_blocked(self.sigma_box):
            self.sigma_box.setValue(sigma_at(tick))
        self.sigma_changed.emit()

    def _typed(self, sigma: float) -> None:
        with signals_blocked(self.slider):
            self.slider.setValue(tick_of(sigma))
        self.sigma_changed.emit()


def sigma_at(tick: int) -> float:
    """Noise level at a tick of the slider; tick 0 is zero, the last tick is `HIGHEST`."""
    return HIGHEST * math.expm1(_BEND * tick / TICKS) / math.expm1(_BEND)


def tick_of(sigma: float) -> int:
    """Nearest tick to a noise level."""
    share = min(1.0, max(0.0, sigma / HIGHEST))
    return round(TICKS * math.log1p(share * math.expm1(_BEND)) / _BEND)


def _combo(tip: str, name: str) -> QComboBox:
    combo = Combo()
    combo.setToolTip(tip)
    combo.setAccessibleName(name)
    combo.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return combo


def _check(text: str, tip: str, on: bool) -> QCheckBox:
    box = QCheckBox(text)
    box.setToolTip(tip)
    box.setChecked(on)
    return box
