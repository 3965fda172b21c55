"""Masks by rule: the kind and its options; those that a kind has no use for are hidden."""

from __future__ import annotations

import math
from contextlib import ExitStack

from qtpy.QtCore import Qt, Signal
from qtpy.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QWidget,
)
from superqt import QLabeledDoubleSlider
from superqt.utils import signals_blocked

from napari_pogmdm.gui.core.session import LARGEST_SEED
from napari_pogmdm.gui.docks.combo import Combo
from napari_pogmdm.physics.masks.names import AUTO, OWN, MaskKind
from napari_pogmdm.physics.trajectories.names import DEFAULT_READOUTS, MOST_READOUTS, TrajectoryKind
from napari_pogmdm.recon.sampling.mask_recipe import NAMES, MaskRecipe, options_of
from napari_pogmdm.recon.sampling.recipe import SamplingRecipe
from napari_pogmdm.recon.sampling.trajectory_recipe import TRAJECTORY_NAMES, TrajectoryRecipe

_LARGEST_ACCELERATION = 16.0  # beyond, even a clear image hides what is missing
_ROOM_BESIDE_CENTRE = 0.99  # of the lines that the largest acceleration may spend on the centre: some are left to draw
_LARGEST_CENTRE = 40.0  # per cent; with more, hardly any acceleration is left
_ALONG = "along "
"""Before the name of a trajectory in the list of patterns, as masks have some of the same names."""
_ALONG_TIP = "Samples off the grid, simulated from the full scan; the mask of the same name rounds them to the grid."
_TIPS = {
    "cartesian": "Whole lines drawn at random beside a fully sampled centre, as in the paper.",
    "fastmri-random": "Whole lines by fastMRI's random rule: each line is kept or not by chance.",
    "fastmri-equispaced": "Whole lines at equal distances, by fastMRI's rule: strong, regular aliases.",
    "fastmri-matched": "Whole lines at distances stretched so that the acceleration is met together with the centre.",
    "partial-fourier": "Lines on one side of the centre are left out, and others at random if needed.",
    "golden-angle": "Spokes that turn by 111.2 degrees each: any number of successive ones is spread nearly evenly.",
    "radial": "Spokes through the centre: dense in the middle, streaks instead of aliases.",
    "spiral": "One long turn from the centre outwards.",
    "gaussian": "Single samples, denser towards the centre; a 3-D scan could measure these.",
    "poisson": "Single samples that keep a distance from each other, which grows outwards.",
    "file": "The samples that the scan holds; nothing more is thrown away.",
}


class RuleBox(QWidget):
    """The options of a `MaskRecipe`.

    Attributes
    ----------
    chosen
        Signal: the user changed one.
    """

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.kind = Combo()
        self.kind.setPlaceholderText("drawn, or from a file")
        self.kind.setPlaceholderText("drawn or loaded")
        for kind in MaskKind:
            self.kind.addItem(NAMES[kind], kind.value)  # Qt finds plain strings only
            self.kind.setItemData(self.kind.count() - 1, _TIPS[kind], Qt.ItemDataRole.ToolTipRole)
        self.kind.setToolTip("Which samples of k-space are measured: the pattern M of y = M F (s x) + n.")
        self.kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for name, words in TRAJECTORY_NAMES.items():
            self.kind.addItem(words, _ALONG + name)
            self.kind.setItemData(self.kind.count() - 1, _ALONG_TIP, Qt.ItemDataRole.ToolTipRole)
        self.readouts = QSpinBox()
        self.readouts.setRange(1, MOST_READOUTS)
        self.readouts.setValue(DEFAULT_READOUTS[TrajectoryKind.GOLDEN_RADIAL])
        self.readouts.setToolTip("Spokes of the trajectory, or arms of a spiral.")
        self.axis = Combo()
        self.axis.addItem("columns", "columns")
        self.axis.addItem("rows (rotated by 90 degrees)", "rows")
        self.axis.setToolTip("Which way the lines run. Aliases appear across them.")
        self.acceleration = _slider(1.5, _LARGEST_ACCELERATION, 0.5, 1)
        self.acceleration.setToolTip(
            "Acceleration R to aim for, grid points over measured samples; the value reached is shown below."
        )
        self.centre = _slider(0.0, _LARGEST_CENTRE, 1.0, 0)
        self.centre.setToolTip(
            "Share of lines in the middle that are all measured (auto-calibration signal, ACS), in per cent."
        )
        self.seed = QSpinBox()
        self.seed.setRange(0, LARGEST_SEED)
        self.seed.setToolTip("The same seed gives the same mask.")
        self.another = QPushButton("An&other")
        self.another.setToolTip("Draw another mask of the same kind: the next seed.")
        self._lay_out()
        self._connect()
        self.show_recipe(MaskRecipe(MaskKind.CARTESIAN.value))

    def _lay_out(self) -> None:
        seeds = QHBoxLayout()
        seeds.addWidget(self.seed, 1)
        seeds.addWidget(self.another)
        self.form = QFormLayout(self)
        self.form.setContentsMargins(0, 0, 0, 0)
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.form.addRow("Pa&ttern", self.kind)
        self.form.addRow("L&ines", self.axis)
        self.form.addRow("&Acceleration", self.acceleration)
        self.form.addRow("&Centre / %", self.centre)
        self.form.addRow("Spo&kes", self.readouts)
        label = QLabel("&Seed")
        label.setBuddy(self.seed)
        self.form.addRow(label, seeds)
        self._rows: dict[str, QWidget | QLayout] = {
            "axis": self.axis,
            "readouts": self.readouts,
            "acceleration": self.acceleration,
            "centre_fraction": self.centre,
            "seed": seeds,
        }
        for name, widget in (
            ("Mask pattern", self.kind),
            ("Direction of the lines", self.axis),
            ("Acceleration: all samples over those that are measured", self.acceleration),
            ("Fully sampled centre in per cent", self.centre),
            ("Spokes or arms of the trajectory", self.readouts),
            ("Seed", self.seed),
        ):
            widget.setAccessibleName(name)
            widget.setSizePolicy(QSizePolicy.Policy.Ignored, widget.sizePolicy().verticalPolicy())

    def _connect(self) -> None:
        self.kind.currentIndexChanged.connect(self._kind_chosen)
        self.axis.currentIndexChanged.connect(self.chosen)
        self.acceleration.valueChanged.connect(self.chosen)
        self.centre.valueChanged.connect(self._bound_acceleration)
        self.centre.valueChanged.connect(self.chosen)
        self.readouts.valueChanged.connect(self.chosen)
        self.seed.valueChanged.connect(self.chosen)
        self.another.clicked.connect(lambda: self.seed.setValue((self.seed.value() + 1) % LARGEST_SEED))

    def recipe(self) -> SamplingRecipe | None:
        """Give the recipe as it is set; ``None`` while a mask without one is in use."""
        kind = self.kind.currentData()
        if kind is None:
            return None
        if kind.startswith(_ALONG):
            return TrajectoryRecipe(kind.removeprefix(_ALONG), self.readouts.value())
        return MaskRecipe(
            kind,
            round(float(self.acceleration.value()), 1),
            round(float(self.centre.value()) / 100, 5),
            self.seed.value(),
            self.axis.currentData(),
        )

    def offer_file(self, offered: bool) -> None:
        """Have, or not, the scan's own mask among the patterns."""
        there = self.kind.findData(OWN)
        with signals_blocked(self.kind):
            if offered and there < 0:
                self.kind.addItem(NAMES[OWN], OWN)
                self.kind.setItemData(self.kind.count() - 1, _TIPS[OWN], Qt.ItemDataRole.ToolTipRole)
            elif not offered and there >= 0:
                self.kind.removeItem(there)

    def show_recipe(self, recipe: SamplingRecipe | None, file: bool = False) -> None:
        """Show a recipe without calling it a choice; ``None`` stands for a mask that was drawn or loaded.

        Parameters
        ----------
        recipe
            What to show.
        file
            Whether the scan brings a mask, which is what "auto" then stands for.
        """
        if recipe is None:
            if self.kind.currentIndex() < 0:
                return
            with signals_blocked(self.kind):
                self.kind.setCurrentIndex(-1)
        elif isinstance(recipe, TrajectoryRecipe):
            with signals_blocked(self.kind), signals_blocked(self.readouts):
                self.kind.setCurrentIndex(self.kind.findData(_ALONG + recipe.kind))
                if recipe.readouts is not None:
                    self.readouts.setValue(recipe.readouts)
        else:
            kind = (OWN if file else MaskKind.CARTESIAN) if recipe.kind == AUTO else recipe.kind
            with ExitStack() as silence:
                for widget in (self.kind, self.axis, self.acceleration, self.centre, self.seed):
                    silence.enter_context(signals_blocked(widget))
                self.kind.setCurrentIndex(self.kind.findData(str(kind)))
                self.axis.setCurrentIndex(self.axis.findData(str(recipe.axis)))
                self.centre.setValue(100 * recipe.centre_fraction)
                self._bound_acceleration()
                self.acceleration.setValue(recipe.acceleration)
                self.seed.setValue(min(recipe.seed, LARGEST_SEED))
        self._show_options()

    def _kind_chosen(self) -> None:
        self._show_options()
        self.chosen.emit()

    def _bound_acceleration(self) -> None:
        """Let the slider end where the centre alone would have more samples than are asked for."""
        centre = self.centre.value() / 100 if "centre_fraction" in options_of(self.kind.currentData() or "") else 0.0
        most = min(_LARGEST_ACCELERATION, _ROOM_BESIDE_CENTRE / max(centre, 1 / _LARGEST_ACCELERATION**2))
        with signals_blocked(self.acceleration):
            # superqt declares whole numbers for all sliders; this one takes parts
            self.acceleration.setMaximum(math.floor(10 * most) / 10)  # type: ignore[arg-type]

    def _show_options(self) -> None:
        kind = self.kind.currentData() or ""
        used = frozenset({"readouts"}) if kind.startswith(_ALONG) else options_of(kind)
        self._bound_acceleration()
        for name, field in self._rows.items():
            if isinstance(field, QLayout):
                self.form.setRowVisible(field, name in used)
            else:
                self.form.setRowVisible(field, name in used)


def _slider(low: float, high: float, step: float, decimals: int) -> QLabeledDoubleSlider:
    slider = QLabeledDoubleSlider(Qt.Orientation.Horizontal)
    slider.setRange(low, high)
    # superqt declares whole steps for all sliders; this one takes parts
    slider.setSingleStep(step)  # type: ignore[arg-type]
    slider.setPageStep(4 * step)  # type: ignore[arg-type]
    slider.setDecimals(decimals)
    return slider
