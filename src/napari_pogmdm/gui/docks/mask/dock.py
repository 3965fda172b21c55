"""The Mask dock: choose which samples of k-space are measured, by rule or by hand, and see what that does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qtpy.QtCore import Qt, QTimer, Signal
from qtpy.QtWidgets import QFileDialog, QGridLayout, QGroupBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.core.notices import Notice, NoticeKind
from napari_pogmdm.gui.core.worker import Worker
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.mask.controller import MaskStudio
from napari_pogmdm.gui.docks.mask.drawing_box import MaskTools
from napari_pogmdm.gui.docks.mask.files import save_mask
from napari_pogmdm.gui.docks.mask.rule_box import PresetBox
from napari_pogmdm.gui.docks.mask.thumbnail import Thumbnail, figures_of
from napari_pogmdm.physics.masks.mask import Mask, load_mask
from napari_pogmdm.recon.mask_recipe import MaskRecipe

if TYPE_CHECKING:
    from napari.viewer import Viewer

_PATIENCE_MILLISECONDS = 120
_OPEN = "NumPy masks (*.npy);;All files (*)"
_NOTHING_TO_SAVE = "mask: there is none to save yet; open a scan first."
_SAVE = "NumPy mask (*.npy);;Picture with its point spread (*.png)"


class MaskDock(Dock):
    """Presets, drawing, files, and the figures of the mask in use."""

    heading = "Mask"
    explanation = (
        "<b>What am I seeing?</b> Which samples are measured: <i>M</i> in <i>y</i> = <i>M F</i>(<i>s x</i>) + noise. "
        "What is left out comes back as aliasing: the zero-filled image is the true one, smeared by the <b>point "
        "spread</b> of <i>M</i>."
    )
    page = "mask"

    _woken = Signal()

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        self._worker = Worker("pogmdm masks", self._failed, self._wake)
        self._woken.connect(self._worker.deliver, Qt.ConnectionType.QueuedConnection)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MILLISECONDS)
        self._patience.timeout.connect(self._apply_recipe)
        self.studio = MaskStudio(self.workbench, self)
        self.presets = PresetBox()
        self.presets.chosen.connect(self._patience.start)
        self.column.addWidget(self.presets)
        self.column.addLayout(self._make_pictures())
        self.figures = QLabel()
        self.figures.setTextFormat(Qt.TextFormat.RichText)
        self.figures.setWordWrap(True)
        self.figures.setAccessibleName("Figures of the mask")
        self.column.addWidget(self.figures)
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setAccessibleName("Message about the mask")
        self.message.hide()
        self.column.addWidget(self.message)
        self.column.addLayout(self._make_doors())
        self.column.addWidget(self._make_drawing())
        self.column.addStretch(1)
        self.studio.changed.connect(self._show_drawing)
        self.studio.said.connect(self.say)
        listening = (
            (self.session.events.mask_request, self._show_wish),
            (self.session.events.acquisition, self._show_scan),
            (self.session.events.mask, self._show_mask),
            (self.session.events.preview, self._show_preview),
        )
        for event, slot in listening:
            event.connect(slot)
        self.destroyed.connect(partial(_leave, self._worker, self.studio, listening))
        self._show_scan()
        self._show_mask()
        self._show_preview()
        self._show_drawing()

    def say(self, text: str) -> None:
        """Show a sentence under the figures; an empty one goes away."""
        self.message.setText(text)
        self.message.setVisible(bool(text))

    def load(self, path: Path) -> None:
        """Use a mask from a file."""
        acquisition = self.session.acquisition
        if acquisition is None:
            self.say(f"{path.name}: a mask needs a scan to lie upon; open one first.")
            return

        def arrived(mask: Mask) -> None:
            self.say("")
            self.session.mask_request = mask

        self._worker.submit(path.name, lambda cancelled: load_mask(path, acquisition.shape), arrived)

    def save(self, path: Path) -> None:
        """Write the mask in use to a file: .npy, or .png with its point spread."""
        mask = self.session.mask
        if mask is None:
            self.say(_NOTHING_TO_SAVE)
            return

        def written(saved: Path) -> None:
            self.say(f"Saved {saved.name}.")

        self._worker.submit(path.name, lambda cancelled: save_mask(mask, path), written)

    def _make_pictures(self) -> QGridLayout:
        self.mask_picture = Thumbnail("The mask", "Measured samples of k-space, the centre in the middle.")
        self.spread_picture = Thumbnail(
            "Its point spread",
            "Point-spread function in decibels, 0 to -60: what a single bright dot becomes. Sharp side lobes give "
            "copies of the image, a low haze looks like noise. A spread along one line is drawn thicker than it is.",
        )
        grid = QGridLayout()
        grid.setVerticalSpacing(2)
        middle = Qt.AlignmentFlag.AlignHCenter
        for place, (picture, caption) in enumerate(
            ((self.mask_picture, "mask"), (self.spread_picture, "point spread"))
        ):
            grid.addWidget(picture, 0, place, middle)
            grid.addWidget(QLabel(caption), 1, place, middle)
        return grid

    def _make_doors(self) -> QHBoxLayout:
        self.load_button = QPushButton("Load...")
        self.load_button.setToolTip("Use a mask from a NumPy file: (rows, columns) of true and false, or (columns,).")
        self.load_button.clicked.connect(self._ask_load)
        self.save_button = QPushButton("Save...")
        self.save_button.setToolTip("Write the mask to a NumPy file, or a picture of it with its point spread.")
        self.save_button.clicked.connect(self._ask_save)
        row = QHBoxLayout()
        row.addWidget(self.load_button)
        row.addWidget(self.save_button)
        return row

    def _make_drawing(self) -> QGroupBox:
        self.draw_button = QPushButton("&Draw on k-space")
        self.draw_button.setCheckable(True)
        self.draw_button.setToolTip(
            "Show k-space and the point spread beside the image, and paint samples there, from the mask in use on."
        )
        self.draw_button.clicked.connect(self._draw_clicked)
        self.tools = MaskTools(self.studio)
        box = QGroupBox("By hand")
        column = QVBoxLayout(box)
        row = QHBoxLayout()
        row.addWidget(self.draw_button, 1)
        row.addWidget(self.tools.close_up)
        column.addLayout(row)
        column.addWidget(self.tools)
        return box

    def _draw_clicked(self, on: bool) -> None:
        if not on:
            self.studio.stop()
            return
        try:
            self.studio.start()
        except InputError as error:
            self.workbench.tell(Notice(NoticeKind.ERROR, str(error)))
        self._show_drawing()
        QTimer.singleShot(0, self._scroll_to_tools)  # when they have been laid out

    def _scroll_to_tools(self) -> None:
        self.ensureWidgetVisible(self.tools)

    def _ask_load(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Load a mask", "", _OPEN)
        if path:
            self.load(Path(path))

    def _ask_save(self) -> None:
        if self.session.mask is None:
            self.workbench.tell(Notice(NoticeKind.ERROR, _NOTHING_TO_SAVE))
            return
        path, _ = QFileDialog.getSaveFileName(self, "Save the mask", "mask.npy", _SAVE)
        if path:
            self.save(Path(path))

    def _apply_recipe(self) -> None:
        """Try the recipe in the background first: one that does not work leaves the mask in use alone."""
        recipe, acquisition = self.presets.recipe(), self.session.acquisition
        if recipe is None:
            return
        if acquisition is None:
            self.session.mask_request = recipe
            return

        def job(cancelled: Callable[[], bool]) -> MaskRecipe:
            recipe.make(acquisition)
            return recipe

        def works(made: MaskRecipe) -> None:
            self.say("")
            self.session.mask_request = made

        self._worker.submit("mask", job, works)

    def _failed(self, notice: Notice) -> None:
        self.say(notice.text)

    def _show_wish(self) -> None:
        wish, acquisition = self.session.mask_request, self.session.acquisition
        recipe = wish if isinstance(wish, MaskRecipe) else None
        if recipe is None or recipe != self.presets.recipe():
            self.presets.show_recipe(recipe, acquisition is not None and acquisition.mask is not None)

    def _show_scan(self) -> None:
        acquisition = self.session.acquisition
        self.presets.offer_file(acquisition is not None and acquisition.mask is not None)
        self._show_wish()

    def _show_mask(self) -> None:
        mask = self.session.mask
        if mask is None:
            self.figures.setText("Open a scan to see what the mask does.")
            return
        self.figures.setText(figures_of(mask))
        self.mask_picture.show_samples(mask.samples)

    def _show_preview(self) -> None:
        if self.session.preview is not None:
            self.spread_picture.show_decibels(self.session.preview.point_spread)

    def _show_drawing(self) -> None:
        self.draw_button.setChecked(self.studio.active)
        self.tools.setVisible(self.studio.active)
        self.tools.close_up.setVisible(self.studio.active)

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the dock may be gone while the background ends
            self._woken.emit()


def _leave(worker: Worker, studio: MaskStudio, listening: tuple[tuple[Any, Any], ...]) -> None:
    """End what outlives the widget."""
    worker.close()
    for event, slot in listening:
        event.disconnect(slot, missing_ok=True)
    studio.close()
