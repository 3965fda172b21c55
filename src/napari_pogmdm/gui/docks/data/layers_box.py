"""Which pictures of the scan itself are seen: the full image, k-space, the coils one by one or all at once."""

from __future__ import annotations

from qtpy.QtWidgets import QCheckBox, QComboBox, QGroupBox, QHBoxLayout, QVBoxLayout

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.layers.complex_view import PARTS
from napari_pogmdm.gui.layers.view import COILS
from napari_pogmdm.runs.roles import Role


class LayersBox(QGroupBox):
    """Check boxes for pictures of the scan.

    Parameters
    ----------
    workbench
        Whose layers they are.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__("Layers")
        self._workbench = workbench
        self.reference_box = _box("fully sampled image", "The image from all samples; errors are measured against it.")
        self.reference_box.clicked.connect(self._ask_reference)
        self.kspace_box = _box(
            "k-space, logarithmic", "Magnitude of k-space in decibels below its strongest sample, RSS over coils."
        )
        self.kspace_box.clicked.connect(lambda on: workbench.views.ask(Role.KSPACE, on))
        self.coil_images_box = _box(
            "coil images", "The image of every coil, uncropped; napari's slider below goes through them."
        )
        self.coil_images_box.clicked.connect(lambda on: workbench.views.ask(Role.COIL_IMAGES, on))
        self.part_box = QComboBox()
        self.part_box.addItems(list(PARTS))
        self.part_box.setCurrentText(workbench.views.part)
        self.part_box.setAccessibleName("Part of the complex coil images")
        self.part_box.currentTextChanged.connect(workbench.views.show_part)
        self.mosaic_box = _box("all", "All coils at once (A), or one with a slider below the picture.")
        self.mosaic_box.clicked.connect(self._ask_mosaic)
        row = QHBoxLayout()
        row.addWidget(self.coil_images_box)
        row.addWidget(self.part_box, 1)
        row.addWidget(self.mosaic_box)
        column = QVBoxLayout(self)
        column.addWidget(self.reference_box)
        column.addWidget(self.kspace_box)
        column.addLayout(row)

    def follow_scan(self) -> None:
        """Offer what there is of the scan."""
        session = self._workbench.session
        for widget in (self.kspace_box, self.coil_images_box, self.part_box, self.mosaic_box):
            widget.setEnabled(session.acquisition is not None)
        self.reference_box.setEnabled(session.reference is not None)

    def refresh(self) -> None:
        """Let the boxes say which layers are seen."""
        book = self._workbench.book
        for role, box in (
            (Role.REFERENCE, self.reference_box),
            (Role.KSPACE, self.kspace_box),
            (Role.COIL_IMAGES, self.coil_images_box),
        ):
            box.setChecked(book.wants(role))
        self.mosaic_box.setChecked(self._workbench.hands.looks.mosaic)
        self.part_box.setCurrentText(self._workbench.views.part)

    def _ask_reference(self, visible: bool) -> None:
        book, reference = self._workbench.book, self._workbench.session.reference
        book.ask(Role.REFERENCE, visible)
        if visible and reference is not None and book.get(Role.REFERENCE) is None:
            book.show(Role.REFERENCE, reference)
        self.refresh()

    def _ask_mosaic(self) -> None:
        self._workbench.canvas.show(COILS)
        self._workbench.hands.looks.toggle_mosaic()


def _box(text: str, tip: str) -> QCheckBox:
    made = QCheckBox(text)
    made.setToolTip(tip)
    return made
