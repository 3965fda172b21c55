"""The part of the Data dock that scans an image layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from qtpy.QtWidgets import QComboBox, QDoubleSpinBox, QFormLayout, QPushButton, QSpinBox, QWidget
from superqt.utils import signals_blocked

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.docks.base import Dock

if TYPE_CHECKING:
    from napari.layers import Image


class SimulateForm(QWidget):
    """Makes a scan of an image layer, with coils and noise of one's choice."""

    def __init__(self, dock: Dock) -> None:
        super().__init__()
        self._workbench = dock.workbench
        self._viewer = dock.workbench.viewer
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        self.layer_box = QComboBox()
        self.layer_box.setToolTip("Image layer to scan; of a stack, the slice that is shown.")
        self.layer_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.coils_box = QSpinBox()
        self.coils_box.setRange(1, 64)
        self.coils_box.setValue(8)
        self.coils_box.setToolTip("Receive coils in a ring around the image.")
        self.noise_box = QDoubleSpinBox()
        self.noise_box.setDecimals(3)
        self.noise_box.setRange(0.0, 1.0)
        self.noise_box.setSingleStep(0.005)
        self.noise_box.setValue(0.01)
        self.noise_box.setToolTip(
            "Standard deviation of the noise in the real and in the imaginary part of each sample; "
            "the image's largest value is 1."
        )
        self.button = QPushButton("&Simulate")
        self.button.clicked.connect(self._simulate)
        form.addRow("Layer", self.layer_box)
        form.addRow("Coils", self.coils_box)
        form.addRow("Noise", self.noise_box)
        form.addRow(self.button)
        layers = self._viewer.layers.events
        for event in (layers.inserted, layers.removed, layers.renamed):
            dock.listen(event, self._list_layers)
        self._list_layers()

    def _list_layers(self, event: Any = None) -> None:
        from napari.layers import Image

        chosen = self.layer_box.currentText()
        with signals_blocked(self.layer_box):
            self.layer_box.clear()
            self.layer_box.addItems([layer.name for layer in self._viewer.layers if isinstance(layer, Image)])
            if self.layer_box.findText(chosen) >= 0:
                self.layer_box.setCurrentText(chosen)
        self.button.setEnabled(self.layer_box.count() > 0)

    def _simulate(self) -> None:
        layer = self._viewer.layers[self.layer_box.currentText()]
        try:
            image = shown_slice(layer, self._viewer.dims.current_step)
        except InputError as error:
            self._workbench.tell(Notice(NoticeKind.ERROR, str(error)))
            return
        name = f"simulated from {layer.name}"
        self._workbench.loader.simulate(image, self.coils_box.value(), self.noise_box.value(), name)


def shown_slice(layer: Image, current_step: tuple[int, ...]) -> NDArray[np.generic]:
    """Copy the 2-D image that a layer shows."""
    if layer.rgb or layer.multiscale:
        raise InputError(f"{layer.name}: is a colour or multiscale image; a scan is simulated from a plain one.")
    lead = layer.ndim - 2
    steps = current_step[-layer.ndim :][:lead]
    index = tuple(min(step, size - 1) for step, size in zip(steps, layer.data.shape[:lead], strict=True))
    return np.array(layer.data[index])
