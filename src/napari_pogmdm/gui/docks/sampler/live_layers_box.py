"""Which pictures of a run are shown, and the grid that puts them side by side."""

from __future__ import annotations

from qtpy.QtWidgets import QCheckBox, QGridLayout, QPushButton, QVBoxLayout, QWidget
from superqt.utils import signals_blocked

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.layers.view import RECORDING, RUN, Arrangement
from napari_pogmdm.runs.roles import LIVE_ROLES, Role

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
    Role.ZERO_FILLED: ("Zero-filled", "What the samples give without a model, beside the run"),
    Role.REFERENCE: ("Fully sampled", "The image of all samples, beside the run"),
    Role.RESIDUAL: ("k-space residual", "What the image leaves unexplained of each sample, in dB below the strongest"),
}


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
        self.boxes = {role: self._make_box(role) for role in (*LIVE_ROLES, Role.ZERO_FILLED, Role.REFERENCE)}
        self.grid = QPushButton("&Grid")
        self.grid.setCheckable(True)
        self.grid.setToolTip("Ticked pictures side by side at one contrast, moved together; else the last one alone")
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
        canvas, session = self._workbench.canvas, self._workbench.session
        view = canvas.views[RECORDING if canvas.shown == RECORDING else RUN]
        for role, box in self.boxes.items():
            with signals_blocked(box):
                box.setChecked(role in view.chosen and not self._workbench.book.dismissed(role))
        for role in (Role.ERROR, Role.REFERENCE):
            self.boxes[role].setEnabled(session.acquisition is None or session.reference is not None)
        with signals_blocked(self.grid):
            self.grid.setChecked(view.arrangement is Arrangement.GRID)
        self.grid.setEnabled(canvas.view is view)

    def _make_box(self, role: Role) -> QCheckBox:
        title, tip = _TITLES[role]
        box = QCheckBox(title)
        box.setToolTip(tip)
        box.toggled.connect(lambda on, role=role: self._ask(role, on))
        return box

    def _ask(self, role: str, on: bool) -> None:
        """Put a picture into the view of the run, and show that; the others may have the picture, too."""
        bench = self._workbench
        bench.book.welcome_back(role)
        if bench.canvas.shown not in {RUN, RECORDING}:
            bench.canvas.choose(RUN, role, on)
            if on and bench.canvas.available(RUN):
                bench.canvas.show(RUN)
        else:
            bench.book.ask(role, on)

    def _show_grid(self, on: bool) -> None:
        self._workbench.canvas.arrange_as(Arrangement.GRID if on else Arrangement.ONE)
