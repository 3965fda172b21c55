"""Masks by rule: the kind and its options; those that a kind has no use for are hidden."""

from __future__ import annotations

from qtpy.QtCore import Signal
from qtpy.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QSpinBox, QWidget
from superqt import QLabeledDoubleSlider
from superqt.utils import signals_blocked

from napari_pogmdm.physics.masks.kinds import MaskKind
from napari_pogmdm.recon.mask_recipe import NAMES, MaskRecipe, options_of

_LARGEST_SEED = 2**31 - 1
_TIPS = {
    "cartesian": "Whole lines drawn at random beside a fully sampled centre, as in the paper.",
    "fastmri-random": "Whole lines by fastMRI's random rule: each line is a toss of a coin.",
    "fastmri-equispaced": "Whole lines at equal distances, by fastMRI's rule: strong, regular aliases.",
    "fastmri-matched": "Whole lines at distances stretched so that the acceleration is met together with the centre.",
    "radial": "Spokes through the centre: dense in the middle, streaks instead of aliases.",
    "spiral": "One long turn from the centre outwards.",
    "gaussian": "Single samples, denser towards the centre; a 3-D scan could measure these.",
    "poisson": "Single samples that keep their distance from each other, the more the further out.",
    "file": "The samples that the scan holds; nothing more is thrown away.",
}


class PresetBox(QWidget):
    """The options of a `MaskRecipe`; ``chosen`` tells that the user changed one."""

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.kind = QComboBox()
        self.kind.setPlaceholderText("drawn or loaded")
        for kind in MaskKind:
            self.kind.addItem(NAMES[kind], kind)
            self.kind.setItemData(self.kind.count() - 1, _TIPS[kind], 3)  # 3 is Qt's role for tooltips
        self.kind.setToolTip("Which samples of k-space are measured: the pattern M of y = M F (s x) + n.")
        self.kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.axis = QComboBox()
        self.axis.addItem("columns", "columns")
        self.axis.addItem("rows (rotated by 90 degrees)", "rows")
        self.axis.setToolTip("Which way the lines run. Aliases appear across them.")
        self.acceleration = _slider(1.5, 16.0, 0.5, 1)
        self.acceleration.setToolTip("Grid points over measured samples to aim for, R; what came out is shown below.")
        self.centre = _slider(0.0, 40.0, 1.0, 0)
        self.centre.setToolTip(
            "Share of lines in the middle that are all measured (auto-calibration lines, ACL), in per cent."
        )
        self.seed = QSpinBox()
        self.seed.setRange(0, _LARGEST_SEED)
        self.seed.setToolTip("The same seed gives the same mask.")
        self.another = QPushButton("An&other")
        self.another.setToolTip("Draw another mask of the same kind: the next seed.")
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
        label = QLabel("&Seed")
        label.setBuddy(self.seed)
        self.form.addRow(label, seeds)
        self._rows = {
            "axis": self.axis,
            "acceleration": self.acceleration,
            "centre_fraction": self.centre,
            "seed": seeds,
        }
        for name, widget in (
            ("Mask pattern", self.kind),
            ("Direction of the lines", self.axis),
            ("Acceleration: all samples over those that are measured", self.acceleration),
            ("Fully sampled centre in per cent", self.centre),
            ("Seed", self.seed),
        ):
            widget.setAccessibleName(name)
            if not widget.toolTip():
                widget.setToolTip(name)
            widget.setSizePolicy(QSizePolicy.Policy.Ignored, widget.sizePolicy().verticalPolicy())
        self.kind.currentIndexChanged.connect(self._kind_chosen)
        self.axis.currentIndexChanged.connect(self.chosen)
        self.acceleration.valueChanged.connect(self.chosen)
        self.centre.valueChanged.connect(self.chosen)
        self.seed.valueChanged.connect(self.chosen)
        self.another.clicked.connect(lambda: self.seed.setValue((self.seed.value() + 1) % _LARGEST_SEED))
        self.show_recipe(MaskRecipe("cartesian"))

    def recipe(self) -> MaskRecipe | None:
        """Give the recipe as it is set; ``None`` while a mask without one is in use."""
        kind = self.kind.currentData()
        if kind is None:
            return None
        return MaskRecipe(
            kind,
            round(float(self.acceleration.value()), 3),
            round(float(self.centre.value()) / 100, 5),
            self.seed.value(),
            self.axis.currentData(),
        )

    def offer_file(self, offered: bool) -> None:
        """Have, or not, the scan's own mask among the patterns."""
        there = self.kind.findData("file")
        with signals_blocked(self.kind):
            if offered and there < 0:
                self.kind.addItem(NAMES["file"], "file")
                self.kind.setItemData(self.kind.count() - 1, _TIPS["file"], 3)
            elif not offered and there >= 0:
                self.kind.removeItem(there)

    def show_recipe(self, recipe: MaskRecipe | None, file: bool = False) -> None:
        """Show a recipe without calling it a choice; ``None`` stands for a mask that was drawn or loaded.

        Parameters
        ----------
        file
            Whether the scan brings a mask, which is what "auto" then stands for.
        """
        widgets = (self.kind, self.axis, self.acceleration, self.centre, self.seed)
        if recipe is None:
            if self.kind.currentIndex() < 0:
                return
            with signals_blocked(self.kind):
                self.kind.setCurrentIndex(-1)
        else:
            kind = ("file" if file else "cartesian") if recipe.kind == "auto" else recipe.kind
            for widget in widgets:
                widget.blockSignals(True)
            self.kind.setCurrentIndex(self.kind.findData(kind))
            self.axis.setCurrentIndex(self.axis.findData(recipe.axis))
            self.acceleration.setValue(recipe.acceleration)
            self.centre.setValue(100 * recipe.centre_fraction)
            self.seed.setValue(min(recipe.seed, _LARGEST_SEED))
            for widget in widgets:
                widget.blockSignals(False)
        self._show_options()

    def _kind_chosen(self) -> None:
        self._show_options()
        self.chosen.emit()

    def _show_options(self) -> None:
        used = options_of(self.kind.currentData() or "")
        for name, field in self._rows.items():
            self.form.setRowVisible(field, name in used)


def _slider(low: float, high: float, step: float, decimals: int) -> QLabeledDoubleSlider:
    from qtpy.QtCore import Qt

    slider = QLabeledDoubleSlider(Qt.Orientation.Horizontal)
    slider.setRange(low, high)
    slider.setSingleStep(step)
    slider.setPageStep(4 * step)
    slider.setDecimals(decimals)
    return slider
