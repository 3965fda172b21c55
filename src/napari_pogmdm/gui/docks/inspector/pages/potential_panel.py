"""The potentials of a model as small multiples with shared axes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from qtpy.QtCore import QPointF, QRectF, Qt
from qtpy.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF, QTransform

from napari_pogmdm.arrays import Doubles
from napari_pogmdm.gui.docks.inspector.model_view import ModelView
from napari_pogmdm.gui.docks.inspector.pages.cell_grid import Cells
from napari_pogmdm.gui.docks.inspector.pages.cell_panel import CellPanel
from napari_pogmdm.gui.docks.inspector.pages.filter_panel import facts
from napari_pogmdm.gui.docks.inspector.responses import Analysis
from napari_pogmdm.gui.widgets.plots import save_curves
from napari_pogmdm.prior.figures import PAPER_LEVELS

if TYPE_CHECKING:
    from napari.viewer import Viewer

LEVEL_COLOURS = ("#5b8ff9", "#2fb3c7", "#43b96b", "#c79a1e", "#e0702f")
"""One for each of the paper's noise levels, from no noise to the most."""
PIXEL_COLOUR = "#e8486f"
_HEAD = 12.0  # pixels of the line above the curves
_FADED = 0.5  # opacity of curves that are switched off
_FAINT = 110  # opacity of counted responses, of 255
_DOT = 2.5  # pixels, the radius of the mark of a pixel
_ARROW, _ARROW_HEAD = 12, 5  # pixels
_FLAT = 1e-3  # slope in nats below which no way is down
_HIGHEST = 8.0  # nats, e^8 = 3000 times less likely: what lies above is as good as impossible
_CURVES_SHOWN = 0.6  # share of the potentials that fit under the axis; a few steep ones would flatten all others
_SLOPES_SHOWN = 0.97  # the same for the values of derivatives


class PotentialPanel(CellPanel):
    """-log psi_k(., t) of every filter, or its derivative: the paper's levels thin, the current level thick.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    accessible_name
        For screen readers.
    """

    smallest = (66.0, 54.0)
    aspect = 1.5
    margins = (26.0, 14.0)

    def __init__(self, viewer: Viewer, accessible_name: str = "potentials") -> None:
        super().__init__(viewer, accessible_name)
        self.view: ModelView | None = None
        self.sigma = 0.0
        self.current: Doubles = np.zeros((0, 0))
        self.marginals: tuple[Doubles, Doubles] | None = None
        self.pixel_responses: Doubles | None = None
        self.axes = (0.5, 0.0, 4.0)
        self.slopes = False
        self._analysis: Analysis | None = None
        self._fixed: list[list[QPainterPath]] = []
        self._moving: list[QPainterPath] = []
        self._counted: list[QPainterPath] = []

    def show_model(self, view: ModelView, slopes: bool) -> None:
        """Show the curves of a model at the paper's levels."""
        if view is not self.view:
            self.show_analysis(None)
            self.pixel_responses = None
            self.marginals, self._counted = None, []
        self.view, self.slopes = view, slopes
        self.total = view.count
        curves = view.slopes if slopes else view.potentials
        self._fixed = [[path_of(view.grid, curve) for curve in level] for level in curves]
        self.selected = None if self.selected is None else min(self.selected, view.count - 1)
        self._redraw()

    def show_sigma(self, sigma: float, curves: Doubles) -> None:
        """Show the curves (filters, points) at the current noise level."""
        assert self.view is not None
        self.sigma, self.current = sigma, curves
        self._moving = [path_of(self.view.grid, curve) for curve in curves]
        self.update()

    def show_analysis(self, analysis: Analysis | None) -> None:
        """Mark what an image leaves switched off."""
        self._analysis = analysis
        self.mark_off(np.zeros(self.total, dtype=bool) if analysis is None else analysis.off)

    def show_marginals(self, marginals: tuple[Doubles, Doubles] | None) -> None:
        """Lay -log of the counted responses (centres, (filters, bins)) over the potentials."""
        self.marginals = marginals
        self._counted = [] if marginals is None else [path_of(marginals[0], row) for row in marginals[1]]
        self.update()

    def show_pixel(self, responses: Doubles | None) -> None:
        """Mark the responses of one pixel."""
        self.pixel_responses = responses
        self.update()

    def set_axes(self, reach: float, low: float, high: float) -> None:
        """Show responses in [-reach, reach] and values in [low, high]."""
        self.axes = (reach, low, high)
        self.update()

    def paint_cell(self, painter: QPainter, box: QRectF, number: int) -> None:
        """Paint the curves of one filter."""
        plot = box.adjusted(2, _HEAD, -2, -2)
        reach, low, high = self.axes
        place = QTransform()
        place.translate(plot.center().x(), plot.bottom())
        place.scale(plot.width() / (2 * reach), -plot.height() / (high - low))
        place.translate(0, -low)
        before = painter.transform()
        painter.save()
        painter.setClipRect(plot)
        painter.setTransform(place * before)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(_thin(self.colour("primary")))
        painter.drawLine(QPointF(0, low), QPointF(0, high))
        painter.drawLine(QPointF(-reach, 0), QPointF(reach, 0))
        if self._counted:
            painter.setPen(_thin(_faded(self.colour("text"), _FAINT)))
            painter.drawPath(self._counted[number])
        painter.setOpacity(_FADED if self.is_off(number) else 1.0)
        for paths, colour in zip(self._fixed, LEVEL_COLOURS, strict=True):
            painter.setPen(_thin(QColor(colour)))
            painter.drawPath(paths[number])
        painter.setOpacity(1.0)
        if self._moving:
            pen = QPen(self.colour("text"), 2)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.drawPath(self._moving[number])
        painter.restore()
        if self.pixel_responses is not None and len(self.current):
            self._paint_pixel(painter, plot, place, number)
        painter.setPen(self.colour("text"))
        painter.drawText(box.adjusted(4, 0, -4, 0), Qt.AlignmentFlag.AlignLeft, str(number + 1))
        note = "off" if self.is_off(number) else self.pixel_note(number)
        painter.drawText(box.adjusted(4, 0, -4, 0), Qt.AlignmentFlag.AlignRight, note)

    def paint_axes(self, painter: QPainter, cells: Cells) -> None:
        """Write the ends of the shared axes at the left and the lower edge."""
        reach, low, high = self.axes
        painter.setPen(self.colour("text"))
        for row in range(cells.rows):
            top = row * cells.height
            edge = QRectF(-self.margins[0], top + _HEAD, self.margins[0] - 2, cells.height - _HEAD - 4)
            painter.drawText(edge, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, f"{high:g}")
            painter.drawText(edge, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, f"{low:g}")
        for column in range(min(cells.columns, cells.count)):
            below = -(-(cells.count - column) // cells.columns) * cells.height
            edge = QRectF(column * cells.width + 3, below, cells.width - 6, self.margins[1])
            painter.drawText(edge, Qt.AlignmentFlag.AlignLeft, f"{-reach:.2g}")
            painter.drawText(edge, Qt.AlignmentFlag.AlignHCenter, "0")
            painter.drawText(edge, Qt.AlignmentFlag.AlignRight, f"{reach:.2g}")

    def describe(self, number: int) -> str:
        """Say what is known about a filter."""
        assert self.view is not None
        lines = [f"filter {number + 1} of {self.view.name}"]
        if self._analysis is not None:
            lines += facts(self._analysis, number)
        if self.pixel_responses is not None:
            lines.append(f"response at the pixel {self.pixel_responses[number]:+z.4f}")
        return "\n".join(lines)

    def save(self, path: Path) -> None:
        """Save as PNG, SVG, or all curves as CSV."""
        if path.suffix.lower() != ".csv" or self.view is None:
            super().save(path)
            return
        curves: list[tuple[str, Doubles, Doubles]] = []
        fixed = self.view.slopes if self.slopes else self.view.potentials
        now = f"sigma = {self.sigma:.4g} (current)"
        for k in range(self.total):
            for level, values in zip(PAPER_LEVELS, fixed, strict=True):
                curves.append((f"filter {k + 1}, sigma = {level:g}", self.view.grid, values[k]))
            if len(self.current):
                curves.append((f"filter {k + 1}, {now}", self.view.grid, self.current[k]))
            if self.marginals is not None:
                curves.append((f"filter {k + 1}, -log marginal", self.marginals[0], self.marginals[1][k]))
        save_curves(path, curves)

    def pixel_note(self, number: int) -> str:
        """Write the response of the pixel to a filter."""
        return "" if self.pixel_responses is None else f"{self.pixel_responses[number]:+z.3f}"

    def _paint_pixel(self, painter: QPainter, plot: QRectF, place: QTransform, number: int) -> None:
        """Mark a response on the current curve, with an arrow down the potential."""
        assert self.view is not None
        assert self.pixel_responses is not None
        reach, low, high = self.axes
        response = float(np.clip(self.pixel_responses[number], -reach, reach))
        curve = self.current[number]
        height = float(np.clip(np.interp(response, self.view.grid, curve), low, high))
        dot = place.map(QPointF(response, height))
        painter.setPen(QPen(QColor(PIXEL_COLOUR), 1))
        painter.drawLine(QPointF(dot.x(), plot.top()), QPointF(dot.x(), plot.bottom()))
        painter.setBrush(QColor(PIXEL_COLOUR))
        painter.drawEllipse(dot, _DOT, _DOT)
        slopes = curve if self.slopes else np.gradient(curve, self.view.grid)
        slope = float(np.interp(response, self.view.grid, slopes))
        if abs(slope) < _FLAT:
            return
        way = -1.0 if slope > 0 else 1.0
        tip = QPointF(dot.x() + way * _ARROW, dot.y())
        painter.drawLine(dot, tip)
        back = QPointF(tip.x() - way * _ARROW_HEAD, tip.y())
        painter.drawPolygon(QPolygonF([tip, back + QPointF(0, 3), back - QPointF(0, 3)]))


def path_of(x: Doubles, y: Doubles) -> QPainterPath:
    """Turn a curve into a path, with gaps where it is not finite."""
    return pg.arrayToQPath(x, y, connect="finite")


def height_of(curves: Doubles, grid: Doubles, reach: float) -> float:
    """Height that shows nearly all of the curves (..., points) within the reach: a round number, at most 8."""
    shown = curves[..., np.abs(grid) <= reach]
    wanted = float(np.quantile(np.abs(shown).max(axis=-1), _CURVES_SHOWN))
    return min(_HIGHEST, float(np.ceil(2 * max(0.5, wanted)) / 2))


def steepness_of(curves: Doubles, grid: Doubles, reach: float) -> float:
    """Height that shows nearly all derivatives within the reach: a number of one or two digits times a power of ten."""
    wanted = max(1.0, float(np.quantile(np.abs(curves[..., np.abs(grid) <= reach]), _SLOPES_SHOWN)))
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(np.ceil(2 * wanted / power) * power / 2)


def _thin(colour: QColor) -> QPen:
    pen = QPen(colour, 0)
    pen.setCosmetic(True)
    return pen


def _faded(colour: QColor, alpha: int) -> QColor:
    colour.setAlpha(alpha)
    return colour
