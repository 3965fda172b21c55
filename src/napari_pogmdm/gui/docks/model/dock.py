"""The Model dock: which prior, what it was trained on, and where to compute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qtpy.QtCore import Qt
from qtpy.QtGui import QTextCharFormat, QTextCursor, QTextDocument
from qtpy.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFormLayout,
    QFrame,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
)
from superqt.utils import signals_blocked

from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.combo import Combo
from napari_pogmdm.gui.docks.model.card import card_of
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.weights import list_models
from napari_pogmdm.runtime.device import Device

if TYPE_CHECKING:
    from napari.viewer import Viewer

_DEVICE_NAMES = {"auto": "automatic", "cpu": "CPU", "cuda": "CUDA (NVIDIA)", "mps": "MPS (Apple)"}
_TABLE_POINTS = 7.0  # letters of tables; larger ones break numbers in a dock of 300 pixels
_LOWEST_CARD = 220  # pixels: its heading and a paragraph


class ModelDock(Dock):
    """Chooses the prior and the device."""

    heading = "Model"
    explanation = (
        "<b>What is this?</b> The prior <i>p</i><sub>&theta;</sub>(<i>x</i>, <i>t</i>), how likely an image is: a "
        "product of Gaussian mixtures of filter responses. The sampler follows its score &nabla; log <i>p</i>."
    )
    equations = "eq. (16)"
    page = "model"

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        self.column.addWidget(self._make_model())
        self.column.addWidget(self._make_device())
        self.column.addWidget(self._make_memory())
        self.column.addWidget(self._make_card(), 1)
        events = self.session.events
        self.listen(events.prior, self._show_model)
        for event in (events.device_request, events.device, events.device_reason):
            self.listen(event, self._show_device)
        self.workbench.noticed.connect(self._noticed)
        self._show_model()
        self._show_device()

    def load_dialog(self) -> None:
        """Ask for a weight file and load it."""
        path, _ = QFileDialog.getOpenFileName(self, "Load a model", "", "Weights of a prior (*.safetensors)")
        if path:
            self.workbench.loader.load_model(Path(path))

    def _make_model(self) -> QGroupBox:
        box = QGroupBox("Prior")
        form = QFormLayout(box)
        self.model_box = Combo()
        self.model_box.setAccessibleName("Model")
        self.model_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.model_box.setMinimumContentsLength(12)
        self.model_box.setToolTip("Shipped models by variant, with the number of their learned parameters.")
        for entry in list_models():
            self.model_box.addItem(f"{entry.name} ({entry.parameter_count:,} parameters)", entry.name)
        self.model_box.activated.connect(self._choose_model)
        self.file_button = QPushButton("&Own file...")
        self.file_button.setToolTip("Load weights that 'napari-pogmdm train' wrote (.safetensors).")
        self.file_button.clicked.connect(self.load_dialog)
        row = QHBoxLayout()
        row.addWidget(self.model_box, 1)
        row.addWidget(self.file_button)
        form.addRow(row)
        self.facts_label = QLabel()
        self.facts_label.setWordWrap(True)
        self.facts_label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        form.addRow(self.facts_label)
        return box

    def _make_device(self) -> QGroupBox:
        box = QGroupBox("Device")
        form = QFormLayout(box)
        self.device_box = Combo()
        self.device_box.setAccessibleName("Device")
        self.device_box.setToolTip("Where the sampler computes.")
        for name in Device:
            self.device_box.addItem(_DEVICE_NAMES[name], name.value)  # Qt finds plain strings only
        self.device_box.activated.connect(
            lambda index: self.workbench.loader.choose_device(self.device_box.itemData(index))
        )
        self.device_label = QLabel()
        self.device_label.setWordWrap(True)
        form.addRow(self.device_box)
        form.addRow(self.device_label)
        return box

    def _make_memory(self) -> QFrame:
        self.memory_row = QFrame()
        self.memory_row.setFrameShape(QFrame.Shape.StyledPanel)
        row = QHBoxLayout(self.memory_row)
        message = QLabel("The device ran out of memory.")
        message.setWordWrap(True)
        self.cpu_button = QPushButton("&Use the CPU")
        self.cpu_button.clicked.connect(self.workbench.use_cpu)
        row.addWidget(message, 1)
        row.addWidget(self.cpu_button)
        self.memory_row.hide()
        return self.memory_row

    def _make_card(self) -> QGroupBox:
        box = QGroupBox("Model card")
        self.card = QTextBrowser()
        self.card.setOpenExternalLinks(True)
        self.card.setMinimumHeight(_LOWEST_CARD)
        self.card.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # tables are a pixel too wide
        self.card.setAccessibleName("Model card")
        QVBoxLayout(box).addWidget(self.card)
        return box

    def _choose_model(self, index: int) -> None:
        self.workbench.loader.load_model(self.model_box.itemData(index))

    def _show_model(self) -> None:
        prior = self.session.prior
        if prior is None:
            self.facts_label.setText("Loading ...")
            return
        source = str(prior.information.get("source", prior.name))
        with signals_blocked(self.model_box):
            if self.model_box.findData(source) < 0:
                self.model_box.addItem(f"{Path(source).name} ({prior.parameter_count:,} parameters)", source)
            self.model_box.setCurrentIndex(self.model_box.findData(source))
        if isinstance(prior, Prior):
            filters = prior.filters.shape
            self.facts_label.setText(f"{filters[0]} filters of {filters[-2]} x {filters[-1]}")
        else:
            self.facts_label.setText("A network without filters or potentials to look at")
        self.card.setMarkdown(card_of(prior))
        document = self.card.document()
        if document is not None:
            _shrink_tables(document)

    def _show_device(self) -> None:
        session = self.session
        with signals_blocked(self.device_box):
            self.device_box.setCurrentIndex(self.device_box.findData(str(session.device_request)))
        because = f": {session.device_reason}" if session.device_reason else ""
        self.device_label.setText(f"Computing on {session.device}{because}.")
        if session.device == "cpu":
            self.memory_row.hide()

    def _noticed(self, notice: Notice) -> None:
        self._show_device()  # a request that was not fulfilled leaves the session as it was, but not the box
        if notice.kind is NoticeKind.MEMORY and self.session.device != "cpu":
            self.memory_row.show()


def _shrink_tables(document: QTextDocument) -> None:
    """Write tables smaller, so that their numbers are not broken in a narrow dock."""
    small = QTextCharFormat()
    small.setFontPointSize(_TABLE_POINTS)
    frame = document.rootFrame()
    for table in () if frame is None else frame.childFrames():
        cursor = table.firstCursorPosition()
        cursor.setPosition(table.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(small)
