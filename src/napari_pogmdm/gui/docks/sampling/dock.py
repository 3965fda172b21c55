"""The Sampling dock: which samples of k-space are measured, a mask by rule or by hand, or a trajectory off the grid."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from qtpy.QtCore import Qt, QTimer
from qtpy.QtWidgets import QFileDialog, QGridLayout, QGroupBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.sampling.controller import MaskDrawingController
from napari_pogmdm.gui.docks.sampling.drawing_box import DrawingBox
from napari_pogmdm.gui.docks.sampling.rule_box import RuleBox
from napari_pogmdm.gui.docks.sampling.thumbnail import Thumbnail, numbers_of, numbers_of_places
from napari_pogmdm.gui.layers.view import SAMPLING
from napari_pogmdm.physics.masks.mask import Mask, load_mask, save_mask
from napari_pogmdm.recon.figures import save_mask_panel
from napari_pogmdm.recon.sampling.recipe import SamplingRecipe

if TYPE_CHECKING:
    from napari.viewer import Viewer

_PATIENCE_MILLISECONDS = 120  # that options may rest before a mask is made of them; a moving slider makes none
_OPEN = "NumPy masks (*.npy);;All files (*)"
_NOTHING_TO_SAVE = "mask: there is none to save yet; open a scan first."
_SAVE = "NumPy mask (*.npy);;Picture with its point spread (*.png)"


class SamplingDock(Dock):
    """Masks by rule, by hand and from files, and the numbers of the mask in use."""

    heading = "Sampling"
    explanation = (
        "<b>What is this?</b> Which samples are measured: <i>M</i> in <i>y</i> = <i>M F</i>(<i>s x</i>) + noise. "
        "What is left out comes back as aliasing: the zero-filled image is the true one, smeared by the <b>point "
        "spread</b> of <i>M</i>. A trajectory takes samples <b>off the grid</b>, as radial and spiral scans do."
    )
    equations = "eq. (19)"
    page = "sampling"
    view = SAMPLING

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        self._worker = self.make_worker("pogmdm masks", self._failed)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MILLISECONDS)
        self._patience.timeout.connect(self._apply_recipe)
        self.controller = MaskDrawingController(self.workbench, self)
        self.rule = RuleBox()
        self.numbers = QLabel()
        self.numbers.setTextFormat(Qt.TextFormat.RichText)
        self.numbers.setWordWrap(True)
        self.numbers.setAccessibleName("Numbers of the mask")
        self.column.addWidget(self.rule)
        self.column.addLayout(self._make_thumbnails())
        self.column.addWidget(self.numbers)
        self.column.addLayout(self._make_file_buttons())
        self.column.addWidget(self._make_drawing())
        self.column.addStretch(1)
        self._connect()
        self._show_scan()
        self._show_mask()
        self._show_preview()
        self._show_drawing()

    def _connect(self) -> None:
        self.rule.chosen.connect(self._patience.start)
        self.controller.changed.connect(self._show_drawing)
        self.controller.said.connect(self.say)
        events = self.session.events
        self.listen(events.mask_request, self._show_request)
        self.listen(events.acquisition, self._show_scan)
        self.listen(events.mask, self._show_mask)
        self.listen(events.trajectory, self._show_mask)
        self.listen(events.preview, self._show_preview)
        self.at_end(self.controller.close)

    def say(self, text: str) -> None:
        """Show a sentence at the lower edge; an empty one goes away."""
        self.message.say(text)

    def load(self, path: Path) -> None:
        """Use a mask from a file."""
        acquisition = self.session.acquisition
        if acquisition is None:
            self.say(f"{path.name}: a mask needs a scan; open one first.")
            return

        def arrived(mask: Mask) -> None:
            self.say("")
            self.session.mask_request = mask

        self._worker.submit(path.name, lambda cancelled: load_mask(path, acquisition.shape), arrived)

    def save(self, path: Path) -> None:
        """Write the mask in use to a file: .npy, also where there is no ending, or .png with its point spread."""
        mask = self.session.mask
        if mask is None:
            self.say(_NOTHING_TO_SAVE)
            return
        target = path if path.suffix else path.with_suffix(".npy")

        def job(cancelled: Callable[[], bool]) -> None:
            write_mask(mask, target)

        self._worker.submit(target.name, job, lambda done: self.say(f"Saved {target.name}."))

    def _make_thumbnails(self) -> QGridLayout:
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
            ((self.mask_picture, "samples"), (self.spread_picture, "point spread"))
        ):
            grid.addWidget(picture, 0, place, middle)
            grid.addWidget(QLabel(caption), 1, place, middle)
        return grid

    def _make_file_buttons(self) -> QHBoxLayout:
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
            "Show k-space and the point spread beside the image, and paint samples there, starting from the mask in "
            "use."
        )
        self.draw_button.clicked.connect(self._draw_clicked)
        self.drawing = DrawingBox(self.controller)
        box = QGroupBox("By hand")
        column = QVBoxLayout(box)
        row = QHBoxLayout()
        row.addWidget(self.draw_button, 1)
        row.addWidget(self.drawing.close_up)
        column.addLayout(row)
        column.addWidget(self.drawing)
        return box

    def _draw_clicked(self, on: bool) -> None:
        if not on:
            self.controller.stop()
            return
        try:
            self.controller.start()
        except InputError as error:
            self.workbench.tell(Notice(NoticeKind.ERROR, str(error)))
        self._show_drawing()
        QTimer.singleShot(0, self._scroll_to_drawing)  # when they have been laid out

    def _scroll_to_drawing(self) -> None:
        self.ensureWidgetVisible(self.drawing)

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
        recipe, acquisition = self.rule.recipe(), self.session.acquisition
        if recipe is None:
            return
        if acquisition is None:
            self.session.mask_request = recipe
            return

        def job(cancelled: Callable[[], bool]) -> SamplingRecipe:
            recipe.make(acquisition)
            return recipe

        def works(made: SamplingRecipe) -> None:
            self.say("")
            self.session.mask_request = made

        self._worker.submit("mask", job, works)

    def _failed(self, notice: Notice) -> None:
        self.say(notice.text)

    def _show_request(self) -> None:
        request, acquisition = self.session.mask_request, self.session.acquisition
        recipe = None if isinstance(request, Mask) else request
        if recipe is None or recipe != self.rule.recipe():
            self.rule.show_recipe(recipe, _brings_its_own(acquisition))

    def _show_scan(self) -> None:
        acquisition = self.session.acquisition
        self.rule.offer_file(_brings_its_own(acquisition))
        self._show_request()

    def _show_mask(self) -> None:
        mask, trajectory = self.session.mask, self.session.trajectory
        self.draw_button.setEnabled(trajectory is None)
        if trajectory is not None:
            self.numbers.setText(numbers_of_places(trajectory))
            self.mask_picture.show_places(trajectory.positions)
            return
        if mask is None:
            self.numbers.setText("Open a scan to see what the mask does.")
            return
        self.numbers.setText(numbers_of(mask))
        self.mask_picture.show_samples(mask.samples)

    def _show_preview(self) -> None:
        if self.session.preview is not None:
            self.spread_picture.show_decibels(self.session.preview.point_spread)

    def _show_drawing(self) -> None:
        self.draw_button.setChecked(self.controller.active)
        self.drawing.setVisible(self.controller.active)
        self.drawing.close_up.setVisible(self.controller.active)


def _brings_its_own(acquisition: Acquisition | None) -> bool:
    return acquisition is not None and (acquisition.mask is not None or acquisition.trajectory is not None)


def write_mask(mask: Mask, path: Path) -> None:
    """Write a mask by the ending of the file's name: .npy, or .png with its point-spread function."""
    kind = path.suffix.lower()
    if kind == ".png":
        save_mask_panel(mask, path)
    elif kind == ".npy":
        save_mask(mask, path)
    else:
        raise InputError(f"{path.name}: masks are saved as .npy or .png; choose one of these endings.")
