"""The page of the Compare dock about several slices: one box for each method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from qtpy.QtWidgets import QComboBox, QVBoxLayout, QWidget

from napari_pogmdm.gui.docks.compare.queue import ComparisonRow
from napari_pogmdm.gui.widgets.plots import CURVE_COLOURS, Plot

if TYPE_CHECKING:
    from napari.viewer import Viewer

_METRICS = {"PSNR / dB": "psnr", "SSIM": "ssim", "NMSE": "nmse"}
_LOWEST = 60  # pixels: a box can just be told from a line
_TICK_HEIGHT = 34  # pixels: names of two lines
_FEWEST_FOR_A_BOX = 5  # values; quartiles of fewer say nothing that the dots do not


class SlicePage(QWidget):
    """The slices that were compared, as dots and boxes.

    Parameters
    ----------
    viewer
        Whose theme the plot follows.
    """

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        self.quality = QComboBox()
        self.quality.addItems(list(_METRICS))
        self.quality.setAccessibleName("Measure of quality")
        self.plot = Plot(viewer, "", "PSNR / dB")
        self.quality.currentTextChanged.connect(self._redraw)
        self._rows: list[ComparisonRow] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.addWidget(self.quality)
        column.addWidget(self.plot, 1)
        self.plot.setMinimumHeight(_LOWEST)

    def show_rows(self, rows: Sequence[ComparisonRow]) -> None:
        """Draw the slices of all methods."""
        self._rows = [row for row in rows if row.metrics]
        self._redraw()

    def _redraw(self) -> None:
        name = self.quality.currentText()
        self.plot.clear()
        self.plot.setLabel("left", name)
        ticks = []
        for place, row in enumerate(self._rows):
            values = np.array([getattr(scores, _METRICS[name]) for scores in row.metrics.values()])
            draw_box(self.plot, place, values[np.isfinite(values)], CURVE_COLOURS[place % len(CURVE_COLOURS)])
            ticks.append((place, row.choice.label.replace(", ", "\n").replace(" + ", "\n+ ")))
        self.plot.getAxis("bottom").setTicks([ticks])
        self.plot.getAxis("bottom").setHeight(_TICK_HEIGHT)
        self.plot.setXRange(-0.6, max(0.6, len(ticks) - 0.4), padding=0)
        self.plot.enableAutoRange(axis="y")


def draw_box(plot: Plot, place: int, values: NDArray[np.float64], colour: str) -> None:
    """Draw all values as dots and, from five on, their quartiles as a box with whiskers to the extremes.

    Parameters
    ----------
    plot
        Where to draw.
    place
        On the horizontal axis.
    values
        (slices,)
    colour
        Of everything.
    """
    if not values.size:
        return
    low, first, middle, third, high = np.percentile(values, (0, 25, 50, 75, 100))
    pen = pg.mkPen(colour, width=1)
    if values.size >= _FEWEST_FOR_A_BOX:
        plot.addItem(pg.BarGraphItem(x=[place], width=0.5, y0=[first], y1=[third], pen=pen, brush=None))
        plot.plot([place, place], [low, first], pen=pen)
        plot.plot([place, place], [third, high], pen=pen)
    plot.plot([place - 0.25, place + 0.25], [middle, middle], pen=pen)
    plot.plot(
        np.full(values.size, place), values, pen=None, symbol="o", symbolSize=4, symbolBrush=colour, symbolPen=None
    )
