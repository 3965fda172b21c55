"""Beside the table of a comparison: figures inside a region, how well coils explain the scan, and slices as boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from qtpy.QtCore import Signal
from qtpy.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QTabWidget, QVBoxLayout, QWidget
from superqt.utils import signals_blocked

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.compare.queue import Row
from napari_pogmdm.gui.docks.compare.regions import outline, region_figures, region_mask
from napari_pogmdm.gui.docks.compare.table import Column, FigureTable
from napari_pogmdm.gui.widgets.plots import CURVE_COLOURS, Plot

if TYPE_CHECKING:
    from napari.layers import Image, Shapes
    from napari.viewer import Viewer

_REGION_COLUMNS = (
    Column("Method", "What reconstructed the measurement"),
    Column("Mean", "Inside the region, in the units of the file", "{:.4g}"),
    Column("SD", "Standard deviation inside the region", "{:.3g}"),
    Column("RMSE", "Root mean square error inside the region", "{:.3g}", -1),
)
_COIL_COLUMNS = (
    Column("Method", "Whose coil maps"),
    Column(
        "Residual",
        "Norm of s_i Σ_j conj(s_j) x_j / RSS(s)² - x_i over that of the complete coil images x_i, eq. (28); lower is "
        "better, noise alone leaves some",
        "{:.2%}",
        -1,
    ),
)
_LOWEST = 60
_NO_REGION = "Draw a region on the image."
_FIGURES = {"PSNR / dB": "psnr", "SSIM": "ssim", "NMSE": "nmse"}


class RegionTab(QWidget):
    """Figures inside the shapes of a Shapes layer.

    ``changed`` tells that another layer was chosen, or that its shapes were drawn, moved or selected.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.layer = QComboBox()
        self.layer.setAccessibleName("Shapes layer")
        self.layer.setToolTip("The shapes of this layer, or the selected ones among them, are the region")
        self.layer.currentIndexChanged.connect(self._watch)
        self.begin = QPushButton("Dra&w")
        self.begin.setToolTip("Make a Shapes layer over the image and draw a rectangle in it")
        self.remark = QLabel(_NO_REGION)
        self.remark.setWordWrap(True)
        self.table = FigureTable(_REGION_COLUMNS, "Figures inside the region")
        self._watched: Any = None
        row = QHBoxLayout()
        row.addWidget(self.layer, 1)
        row.addWidget(self.begin)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.addLayout(row)
        column.addWidget(self.remark)
        column.addWidget(self.table, 1)

    @property
    def chosen(self) -> Shapes | None:
        """The layer whose shapes count."""
        return self.layer.currentData()

    def offer(self, layers: Iterable[Any]) -> None:
        """List the Shapes layers among these, keeping the chosen one."""
        from napari.layers import Shapes

        before, shapes = self.chosen, [layer for layer in layers if isinstance(layer, Shapes)]
        if [self.layer.itemData(number) for number in range(self.layer.count())] == shapes:
            return
        with signals_blocked(self.layer):
            self.layer.clear()
            for layer in shapes:
                self.layer.addItem(layer.name, layer)
            found = self.layer.findData(before) if before is not None else -1
            self.layer.setCurrentIndex(found if found >= 0 else len(shapes) - 1)
        self._watch()

    def draw(self, viewer: Viewer, image: Image | None) -> None:
        """Make a Shapes layer where an image lies, ready to draw a rectangle, and choose it."""
        layer = viewer.add_shapes(name="region", face_color="#ffb45440", edge_color="#ffb454", edge_width=1)
        if image is not None:
            layer.scale, layer.translate, layer.units = image.scale[-2:], image.translate[-2:], image.units[-2:]
            image.visible = True
        layer.mode = "add_rectangle"
        self.layer.setCurrentIndex(self.layer.findData(layer))

    def _watch(self) -> None:
        """Follow the shapes of the chosen layer as they are drawn, moved and selected."""
        for layer, act in ((self._watched, "disconnect"), (self.chosen, "connect")):
            if layer is not None:
                getattr(layer.events.set_data, act)(self._tell)
                getattr(layer.events.highlight, act)(self._tell)
        self._watched = self.chosen
        self.changed.emit()

    def _tell(self, event: Any = None) -> None:
        with suppress(RuntimeError):  # the layer may outlive this dock
            self.changed.emit()

    def show_rows(self, rows: Sequence[Row], reference: FloatImage | None, image_layer: Image | None) -> None:
        """Fill in the figures of all images; a region that holds nothing is told in one sentence."""
        pictures = [(row.contender.label, row.outcome.image) for row in rows if row.outcome is not None]
        if self.chosen is None or image_layer is None or not pictures:
            self.table.show_rows([])
            self.remark.setText(_NO_REGION if self.chosen is None else "Run some methods to see figures here.")
            return
        try:
            outlines = _outlines(self.chosen, image_layer)
            inside = region_mask(pictures[0][1].shape, outlines)
        except InputError as error:
            self.table.show_rows([])
            self.remark.setText(str(error))
            return
        if reference is not None:
            pictures.append(("fully sampled", reference))
        lines = []
        for label, image in pictures:
            found = region_figures(image, None if image is reference else reference, inside)
            lines.append((label, (label, found.mean, found.deviation, found.error), ""))
        self.remark.setText(f"{int(inside.sum())} pixels")
        self.table.show_rows(lines)


class CoilTab(QWidget):
    """How well coils explain the complete scan."""

    def __init__(self) -> None:
        super().__init__()
        self.table = FigureTable(_COIL_COLUMNS, "Null-space residuals of the coil maps")
        self.remark = QLabel("What coil maps cannot explain of the complete scan, eq. (28).")
        self.remark.setWordWrap(True)
        self.show_maps = QPushButton("&Maps")
        self.show_maps.setToolTip("The residuals' root sum of squares side by side, at one contrast")
        row = QHBoxLayout()
        row.addWidget(self.remark, 1)
        row.addWidget(self.show_maps)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.addLayout(row)
        column.addWidget(self.table, 1)

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Fill in the residuals of the methods that have coils."""
        outcomes = [(row.contender.label, row.outcome.coil_residual) for row in rows if row.outcome is not None]
        lines = [(label, (label, residual), "") for label, residual in outcomes if residual is not None]
        self.table.show_rows(lines)
        self.show_maps.setEnabled(bool(lines))


class SliceTab(QWidget):
    """A box a method over the slices that were compared."""

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        self.figure = QComboBox()
        self.figure.addItems(list(_FIGURES))
        self.figure.setAccessibleName("Figure of merit")
        self.plot = Plot(viewer, "", "PSNR / dB")
        self.figure.currentTextChanged.connect(self._redraw)
        self._rows: list[Row] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.addWidget(self.figure)
        column.addWidget(self.plot, 1)
        self.plot.setMinimumHeight(_LOWEST)

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Draw the slices of all methods."""
        self._rows = [row for row in rows if row.metrics]
        self._redraw()

    def _redraw(self) -> None:
        name = self.figure.currentText()
        self.plot.clear()
        self.plot.setLabel("left", name)
        ticks = []
        for place, row in enumerate(self._rows):
            values = np.array([getattr(scores, _FIGURES[name]) for scores in row.metrics.values()])
            draw_box(self.plot, place, values[np.isfinite(values)], CURVE_COLOURS[place % len(CURVE_COLOURS)])
            ticks.append((place, row.contender.label.replace(", ", "\n").replace(" + ", "\n+ ")))
        self.plot.getAxis("bottom").setTicks([ticks])
        self.plot.getAxis("bottom").setHeight(34)
        self.plot.setXRange(-0.6, max(0.6, len(ticks) - 0.4), padding=0)
        self.plot.enableAutoRange(axis="y")


def draw_box(plot: Plot, place: int, values: np.ndarray[Any, Any], colour: str) -> None:
    """Draw all values as dots and, from five on, their quartiles as a box with whiskers to the extremes."""
    if not values.size:
        return
    low, first, middle, third, high = np.percentile(values, (0, 25, 50, 75, 100))
    pen = pg.mkPen(colour, width=1)
    if values.size >= 5:
        plot.addItem(pg.BarGraphItem(x=[place], width=0.5, y0=[first], y1=[third], pen=pen, brush=None))
        plot.plot([place, place], [low, first], pen=pen)
        plot.plot([place, place], [third, high], pen=pen)
    plot.plot([place - 0.25, place + 0.25], [middle, middle], pen=pen)
    plot.plot(
        np.full(values.size, place), values, pen=None, symbol="o", symbolSize=4, symbolBrush=colour, symbolPen=None
    )


class Details(QTabWidget):
    """The three in tabs."""

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        self.region, self.coils, self.slices = RegionTab(), CoilTab(), SliceTab(viewer)
        self.addTab(self.region, "Region")
        self.addTab(self.coils, "Coils")
        self.addTab(self.slices, "Slices")


def _outlines(shapes: Shapes, image: Image) -> list[np.ndarray[Any, Any]]:
    """Give the outlines of the selected shapes, or of all, in pixels of an image."""
    chosen = sorted(shapes.selected_data) or range(len(shapes.data))
    found = []
    for number in chosen:
        corners = outline(str(shapes.shape_type[number]), shapes.data[number])
        lead = (0.0,) * (shapes.ndim - 2)
        world = [shapes.data_to_world((*lead, *corner)) for corner in corners]
        found.append(np.array([image.world_to_data(point)[-2:] for point in world]))
    return found
