"""Which pictures of a run are shown, and the grid that puts them side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from napari.experimental import link_layers, unlink_layers
from qtpy.QtWidgets import QCheckBox, QGridLayout, QPushButton, QVBoxLayout, QWidget
from superqt.utils import signals_blocked

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.runs.roles import LIVE_ROLES, Role

if TYPE_CHECKING:
    from napari.layers import Image
    from napari.utils.events import Event

_TITLES = {
    Role.IMAGE: ("|x| RSS(s)", "Magnitude of the current image, corrected for the coils' own intensity"),
    Role.PHASE: ("Phase of x", "Phase of the current image, from -pi to pi on a cyclic colour map"),
    Role.TWEEDIE: ("Estimate E[x0|xt]", "Tweedie estimate of the clean image, x + sigma^2 score(x, sigma)"),
    Role.COIL_MAGNITUDE: (
        "Coils |s|",
        "Magnitude of the coil maps; the slider below goes through the coils",
    ),
    Role.COIL_PHASE: ("Coils, phase", "Phase of the coil maps, from -pi to pi"),
    Role.MEAN: ("Mean", "Mean over finished chains"),
    Role.DEVIATION: (
        "Std. deviation",
        "Standard deviation over finished chains, from the second one on",
    ),
    Role.ERROR: ("Error", "|image - fully sampled image|; needs a fully sampled scan"),
    Role.RESIDUAL: ("k-space residual", "What the image leaves unexplained of each sample, in dB below the strongest"),
}
_SHARED = (Role.REFERENCE, Role.ZERO_FILLED, Role.IMAGE, Role.BEFORE_FORK, Role.TWEEDIE, Role.MEAN)
_OWNER = "sampler"
_NAME_POINTS = 9.0  # letters of a layer's name in its cell


class LiveLayersBox(QWidget):
    """Check boxes for the pictures of a run, and a button for a linked grid.

    Parameters
    ----------
    workbench
        Whose layers are shown.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self._linked: list[Image] = []
        self._cells = 0
        self.boxes = {role: self._make_box(role) for role in LIVE_ROLES}
        self.grid = QPushButton("&Grid")
        self.grid.setCheckable(True)
        self.grid.setToolTip("Visible layers side by side, moved together; intensities share their contrast")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        boxes = QGridLayout()
        boxes.setHorizontalSpacing(4)
        boxes.setVerticalSpacing(2)
        for place, box in enumerate(self.boxes.values()):
            boxes.addWidget(box, place // 2, place % 2)
        boxes.addWidget(self.grid, len(self.boxes) // 2, 1)
        column.addLayout(boxes)
        self.grid.toggled.connect(self._show_grid)
        self.refresh()

    def refresh(self) -> None:
        """Follow what is shown, and what could be."""
        book, session = self._workbench.book, self._workbench.session
        for role, box in self.boxes.items():
            with signals_blocked(box):
                box.setChecked(book.wants(role))
        self.boxes[Role.ERROR].setEnabled(session.acquisition is None or session.reference is not None)
        visible = sum(layer.visible for layer in self._workbench.viewer.layers)
        if self.grid.isChecked() and visible != self._cells:
            self._fit()

    def _make_box(self, role: Role) -> QCheckBox:
        title, tip = _TITLES[role]
        box = QCheckBox(title)
        box.setToolTip(tip)
        box.toggled.connect(lambda on, role=role: self._workbench.book.ask(role, on))
        return box

    def follow_grid(self, owner: str) -> None:
        """Notice that the grid was given back, or taken over by another dock."""
        ours = owner == _OWNER
        with signals_blocked(self.grid):
            self.grid.setChecked(ours)
        if not ours:
            self._workbench.book.lay_out(gridded=False)
            self._link(False)

    def _show_grid(self, on: bool) -> None:
        bench = self._workbench
        if not on:
            bench.grid.restore(_OWNER)
            bench.camera.fit_visible()
            return
        bench.book.lay_out(gridded=True)
        bench.grid.show(_OWNER, [layer for layer in bench.viewer.layers if layer.visible])
        self._link(True)
        self._fit()
        if bench.grid.owner != _OWNER:
            self.follow_grid(bench.grid.owner)

    def _link(self, on: bool) -> None:
        """Let intensities have one contrast while they stand side by side."""
        book = self._workbench.book
        if self._linked:
            unlink_layers(self._linked, ("contrast_limits",))
            self._linked = []
        shared = [layer for role in _SHARED if (layer := book.get(role)) is not None] if on else []
        if len(shared) > 1:
            for layer in shared:
                layer.contrast_limits = (0.0, book.geometry.white)
            link_layers(shared, ("contrast_limits",))
            self._linked = shared

    def name_new(self, event: Event) -> None:
        """Let a layer that was added to the grid have its name beside it, and the common contrast."""
        if self.grid.isChecked():
            event.value.name_overlay.font_size = _NAME_POINTS
            event.value.name_overlay.visible = True
            self._link(True)
            self._fit()

    def _fit(self) -> None:
        """Make what is visible fill its place."""
        self._cells = sum(layer.visible for layer in self._workbench.viewer.layers)
        self._workbench.camera.fit_visible()
