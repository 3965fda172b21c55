"""The Data dock: open a scan, choose a slice, see what it is, and look at its raw data."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from qtpy.QtCore import QMimeData, Qt
from qtpy.QtGui import QAction, QDragEnterEvent, QDragMoveEvent, QDropEvent
from qtpy.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFormLayout,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
)
from superqt.utils import signals_blocked

from napari_pogmdm.data.dimensions import dimensions_of
from napari_pogmdm.gui.contributions.reader import open_path
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.data.array_box import ArrayBox
from napari_pogmdm.gui.docks.data.image_chooser import ImageChooser
from napari_pogmdm.gui.docks.data.layers_box import LayersBox
from napari_pogmdm.gui.docks.data.scan_card import card_of
from napari_pogmdm.gui.docks.data.simulate_box import SimulateBox
from napari_pogmdm.gui.layers.view import IMAGE
from napari_pogmdm.gui.widgets.collapsible import Collapsible
from napari_pogmdm.recon.virtual_coils import AUTO_COILS

if TYPE_CHECKING:
    from napari.viewer import Viewer

_FILES = (
    "Scans and results (*.h5 *.hdf5 *.mrd *.dat *.cfl *.hdr *.npy *.npz *.nii *.nii.gz *.dcm);;"
    "Raw data (*.h5 *.mrd *.dat);;Arrays (*.npy *.npz *.cfl *.hdr);;Images (*.nii *.nii.gz *.dcm);;All files (*)"
)
_MOST_COILS = 256  # until a scan says how many it has; no receive array is larger


class DataDock(Dock):
    """Opens scans; files can be dropped on it."""

    heading = "Data"
    explanation = (
        "<b>What is this?</b> Where a scan comes from: k-space as every coil measured it, <i>F</i>(<i>s x</i>) + "
        "noise, before a mask <i>M</i> throws samples away."
    )
    equations = "eq. (19)"
    page = "data"
    view = IMAGE

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        self.setAcceptDrops(True)
        self.column.addLayout(self._make_source_buttons())
        self.chooser = ImageChooser()
        self.slice_slider, self.loading_label = self.chooser.sliders["slice"], self.chooser.loading_label
        self.chooser.chosen.connect(self.workbench.loader.load_slice)
        self.chooser.cancel_button.clicked.connect(self.workbench.loader.cancel)
        self.column.addWidget(self.chooser)
        self.column.addWidget(self._make_card())
        self.column.addWidget(self._make_coils())
        self.layers = LayersBox(self.workbench)
        self.reference_box, self.kspace_box = self.layers.reference_box, self.layers.kspace_box
        self.coil_images_box, self.part_box = self.layers.coil_images_box, self.layers.part_box
        self.column.addWidget(self.layers)
        self.array_box = ArrayBox(self)
        self.axes_box = Collapsible("Axes of an array", self.array_box)
        self.column.addWidget(self.axes_box)
        self.simulation = SimulateBox(self)
        self.column.addWidget(Collapsible("Simulate a scan of a layer", self.simulation))
        self.column.addStretch(1)
        events = self.session.events
        self.listen(events.acquisition, self._show_scan)
        for event in (events.slice_index, events.loading, events.indexed):
            self.listen(event, self._show_slice)
        for event in (events.measurement, events.virtual_coils):
            self.listen(event, self._show_coils)
        self.listen(events.recent, self._show_recent)
        self.listen(events.trouble, self.message.say)
        self.workbench.layers_changed.connect(self.layers.refresh)
        self._show_recent()
        self._show_scan()

    def open_dialog(self) -> None:
        """Ask for a file and open it."""
        recent = self.session.recent
        folder = str(Path(recent[0]).parent) if recent else ""
        path, _ = QFileDialog.getOpenFileName(self, "Open a scan", folder, _FILES)
        if path:
            self.open_file(path)

    def open_file(self, path: str) -> None:
        """Open a scan or a result."""
        open_path(self.workbench, Path(path))

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:  # noqa: N802 - Qt's name
        """Welcome files."""
        if event is not None and _local_file(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent | None) -> None:  # noqa: N802 - Qt's name
        """Welcome them wherever they are held."""
        if event is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:  # noqa: N802 - Qt's name
        """Open the first file that was dropped."""
        path = None if event is None else _local_file(event.mimeData())
        if event is not None and path is not None:
            event.acceptProposedAction()
            self.open_file(path)

    def _make_source_buttons(self) -> QGridLayout:
        self.open_button = QPushButton("&Open...")
        self.open_button.setToolTip("Open raw data, an array, images or a result; dropping it here does the same.")
        self.open_button.clicked.connect(self.open_dialog)
        self.recent_button = QPushButton("&Recent")
        self.recent_button.setToolTip("Scans that were opened before.")
        self.recent_menu = QMenu(self.recent_button)
        self.recent_button.setMenu(self.recent_menu)
        self.demo_button = QPushButton("&Demo")
        self.demo_button.setToolTip("The bundled scan: one slice of a real head, 13 coils, fully sampled.")
        self.demo_button.clicked.connect(lambda: self.workbench.loader.open("demo"))
        self.radial_button = QPushButton("Ra&dial demo")
        self.radial_button.setToolTip("The bundled radial scan: one slice of a real head along 64 spokes, 10 coils.")
        self.radial_button.clicked.connect(lambda: self.workbench.loader.open("radial-demo"))
        self.phantom_button = QPushButton("&Phantom")
        self.phantom_button.setToolTip("A simulated scan of the Shepp-Logan phantom with 8 coils.")
        self.phantom_button.clicked.connect(lambda: self.workbench.loader.open("phantom"))
        grid = QGridLayout()
        bundled = (self.demo_button, self.radial_button, self.phantom_button)
        for place, button in enumerate((self.open_button, self.recent_button, *bundled)):
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            grid.addWidget(button, *divmod(place, 2))
        return grid

    def _make_card(self) -> QGroupBox:
        box = QGroupBox("Scan")
        self.card = QLabel("No scan is open.")
        self.card.setWordWrap(True)
        self.card.setTextFormat(Qt.TextFormat.RichText)
        self.card.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        QVBoxLayout(box).addWidget(self.card)
        return box

    def _make_coils(self) -> QGroupBox:
        box = QGroupBox("Coil compression")
        form = QFormLayout(box)
        self.coils_box = QSpinBox()
        self.coils_box.setRange(0, _MOST_COILS)
        self.coils_box.setSpecialValueText("auto")
        self.coils_box.setKeyboardTracking(False)
        self.coils_box.setToolTip(
            "Virtual coils to reconstruct with; fewer are faster, and lose a little signal; auto goes by image size."
        )
        self.coils_box.valueChanged.connect(self._choose_coils)
        self.all_coils = QCheckBox("all")
        self.all_coils.setToolTip("Reconstruct with the physical coils, as they are.")
        self.all_coils.toggled.connect(self._choose_coils)
        row = QHBoxLayout()
        row.addWidget(self.coils_box)
        row.addWidget(self.all_coils)
        row.addStretch(1)
        form.addRow("Virtual coils", row)
        self.energy_label = QLabel("-")
        self.energy_label.setToolTip("Share of the measured signal's energy that the virtual coils keep.")
        form.addRow("Energy kept", self.energy_label)
        return box

    def _choose_coils(self) -> None:
        self.coils_box.setEnabled(not self.all_coils.isChecked())
        self.session.virtual_coils = 0 if self.all_coils.isChecked() else self.coils_box.value() or AUTO_COILS

    def _show_scan(self) -> None:
        acquisition, scan = self.session.acquisition, self.session.scan
        for widget in (self.coils_box, self.all_coils):
            widget.setEnabled(acquisition is not None)
        self.layers.follow_scan()
        if acquisition is not None and scan is not None:
            rows = card_of(acquisition, dimensions_of(scan)).items()
            cells = "".join(
                f"<tr><td>{escape(name)}&nbsp;&nbsp;</td><td>{escape(text)}</td></tr>" for name, text in rows
            )
            self.card.setToolTip(acquisition.source)
            self.card.setText(f"<table cellspacing='0' cellpadding='1'>{cells}</table>")
        self._show_slice()
        self._show_coils()
        self.layers.refresh()

    def _show_slice(self) -> None:
        """Set the sliders to what is loaded, unless the user is ahead of it."""
        loader, loading = self.workbench.loader, self.session.loading
        self.chooser.show_loading(loading, self.session.indexed)
        self.axes_box.setVisible(self.array_box.is_for(loader.source))
        if not loading:
            self.chooser.show_scan(self.session.scan, self.session.slice_index)

    def _show_coils(self) -> None:
        acquisition, measurement, wanted = (
            self.session.acquisition,
            self.session.measurement,
            self.session.virtual_coils,
        )
        most = _MOST_COILS if acquisition is None else acquisition.coils
        with signals_blocked(self.coils_box), signals_blocked(self.all_coils):
            self.coils_box.setMaximum(most)
            self.all_coils.setText("all" if acquisition is None else f"all {most}")
            self.all_coils.setChecked(wanted == 0)
            self.coils_box.setEnabled(acquisition is not None and wanted != 0)
            if wanted:
                self.coils_box.setValue(0 if wanted == AUTO_COILS else wanted)
        if measurement is not None:
            self.energy_label.setText(f"{100 * measurement.kept_energy:.2f} %")
        elif acquisition is not None:
            self.energy_label.setText("measuring ...")

    def _show_recent(self) -> None:
        self.recent_menu.clear()
        for path in self.session.recent:
            action = QAction(Path(path).name, self.recent_menu)
            action.setToolTip(path)
            action.triggered.connect(lambda _=False, path=path: self._open_again(path))
            self.recent_menu.addAction(action)
        self.recent_menu.setToolTipsVisible(True)
        self.recent_button.setEnabled(bool(self.session.recent))

    def _open_again(self, path: str) -> None:
        """Open a recent file, or forget it if it is gone."""
        if not Path(path).exists():
            self.session.recent = tuple(other for other in self.session.recent if other != path)
        self.open_file(path)


def _local_file(dropped: QMimeData | None) -> str | None:
    """Give the path of the first file among what is dragged."""
    urls = [] if dropped is None else dropped.urls()
    return next((url.toLocalFile() for url in urls if url.isLocalFile()), None)
