"""Which pictures of a run are shown, and the grid that puts them side by side."""

from __future__ import annotations

from qtpy.QtWidgets import QCheckBox, QPushButton, QVBoxLayout, QWidget
from superqt.utils import signals_blocked

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.columns import Columns
from napari_pogmdm.gui.layers.view import RECORDING, RUN, Arrangement
from napari_pogmdm.recon.sampler.algorithms.by_name import ALGORITHMS
from napari_pogmdm.recon.sampler.calibration import NOT_AN_UNCERTAINTY
from napari_pogmdm.runs.roles import LIVE_ROLES, Role

_TITLES = {
    Role.IMAGE: ("|x| RSS(s)", "Magnitude of the current image, corrected for the coils' own intensity"),
    Role.PHASE: ("Phase of x", "Phase of the current image, from -π to π on a cyclic colour map"),
    Role.TWEEDIE: ("Estimate E[x₀|xₜ]", "Tweedie estimate of the clean image, x + σ² score(x, σ)"),
    Role.COIL_MAGNITUDE: (
        "Coils |s|",
        "Magnitude of the coil maps; the slider below goes through the coils",
    ),
    Role.COIL_PHASE: ("Coils, phase", "Phase of the coil maps, from -π to π"),
    Role.MEAN: ("Mean", "Mean over finished chains"),
    Role.DEVIATION: (
        "Standard deviation",
        "Standard deviation over finished chains, from the second one on",
    ),
    Role.DOUBT: (
        "P(error > 5 %)",
        "Probability that the mean is wrong by more than 5 % of the maximum, if errors are normal",
    ),
    Role.ERROR: ("Error", "|image - fully sampled image|; needs a fully sampled scan"),
    Role.ZERO_FILLED: ("Zero-filled", "Zero-filled image: what the samples give without a model, beside the run"),
    Role.REFERENCE: ("Fully sampled", "The image from all samples, beside the run"),
    Role.RESIDUAL: ("k-space residual", "What the image leaves unexplained in each sample, in dB below the strongest"),
}


_CYCLE = (Role.IMAGE, Role.MEAN, Role.DEVIATION, Role.DOUBT)


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
        column.addWidget(Columns([*self.boxes.values(), self.grid], most=2))
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
        samples = ALGORITHMS[session.settings.algorithm].samples
        for role in (Role.DEVIATION, Role.DOUBT):
            self.boxes[role].setEnabled(samples)
            self.boxes[role].setToolTip(_TITLES[role][1] if samples else f"{NOT_AN_UNCERTAINTY}; choose posterior")
        with signals_blocked(self.grid):
            self.grid.setChecked(view.arrangement is Arrangement.GRID)
        self.grid.setEnabled(canvas.view is view)

    def cycle(self) -> None:
        """Show the next of one sample, mean, standard deviation and P(error > 5 %), alone, as far as there are any."""
        bench = self._workbench
        there: list[object] = [
            role for role in _CYCLE if bench.book.get(role) is not None or self._made_on_demand(role)
        ]
        if not there:
            return
        view = bench.canvas.views[RUN]
        shown = view.chosen[-1] if view.chosen else None
        after = there[(there.index(shown) + 1) % len(there)] if shown in there else there[0]
        bench.book.welcome_back(str(after))
        bench.canvas.present(RUN, [str(after)], arrangement=Arrangement.ONE)
        self.refresh()

    def _made_on_demand(self, role: Role) -> bool:
        """Whether a finished run can make a picture once it is asked for."""
        result = self._workbench.session.result
        if result is None or role is Role.IMAGE:
            return result is not None
        several = result.variance is not None
        return several and (role is Role.MEAN or ALGORITHMS[self._workbench.session.settings.algorithm].samples)

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
