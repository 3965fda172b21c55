"""The filters of a model as pictures, each beside its magnitude spectrum."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import colormaps
from numpy.typing import NDArray
from qtpy.QtCore import QRectF, Qt
from qtpy.QtGui import QImage, QPainter

from napari_pogmdm.files import write_file
from napari_pogmdm.gui.docks.inspector.model_view import ModelView
from napari_pogmdm.gui.docks.inspector.pages.cell_panel import CellPanel
from napari_pogmdm.gui.docks.inspector.responses import Analysis

if TYPE_CHECKING:
    from napari.viewer import Viewer

_HEAD = 13.0  # pixels of the line above a filter
_GAP = 3.0  # pixels between a filter and its spectrum
_FADED = 0.35  # opacity of a filter that is switched off


class FilterPanel(CellPanel):
    """Filters f_k (red positive, blue negative, each on its own scale) and their spectra |F f_k|.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    accessible_name
        For screen readers.
    """

    smallest = (70.0, 52.0)
    aspect = 1.75

    def __init__(self, viewer: Viewer, accessible_name: str = "filters and their spectra") -> None:
        super().__init__(viewer, accessible_name)
        self._view: ModelView | None = None
        self._analysis: Analysis | None = None
        self._filters: list[QImage] = []
        self._spectra: list[QImage] = []

    def show_model(self, view: ModelView) -> None:
        """Show the filters of a model."""
        self._view = view
        self._analysis = None
        self.total = view.count
        self._filters = [
            coloured(kernel / (2 * np.abs(kernel).max() or 1.0) + 0.5, "RdBu_r") for kernel in view.kernels
        ]
        self._spectra = [coloured(spectrum / (spectrum.max() or 1.0), "magma") for spectrum in view.spectra]
        self.off = np.zeros(view.count, dtype=bool)
        self.selected = None if self.selected is None else min(self.selected, view.count - 1)
        self._redraw()

    def show_analysis(self, analysis: Analysis | None) -> None:
        """Mark what an image leaves switched off."""
        self._analysis = analysis
        self.mark_off(np.zeros(self.total, dtype=bool) if analysis is None else analysis.off)

    def paint_cell(self, painter: QPainter, box: QRectF, number: int) -> None:
        """Paint filter and spectrum side by side under the number."""
        painter.setPen(self.colour("text"))
        painter.drawText(box.adjusted(4, 0, -4, 0), Qt.AlignmentFlag.AlignLeft, str(number + 1))
        painter.drawText(box.adjusted(4, 0, -4, 0), Qt.AlignmentFlag.AlignRight, self._note(number))
        side = min((box.width() - 3 * _GAP) / 2, box.height() - _HEAD - _GAP)
        left = box.left() + (box.width() - 2 * side - _GAP) / 2
        top = box.top() + _HEAD + (box.height() - _HEAD - side) / 2 - 1
        if self.is_off(number):
            painter.setOpacity(_FADED)
        painter.drawImage(QRectF(left, top, side, side), self._filters[number])
        painter.drawImage(QRectF(left + side + _GAP, top, side, side), self._spectra[number])
        painter.setOpacity(1.0)

    def describe(self, number: int) -> str:
        """Say gain and share of a filter."""
        assert self._view is not None
        lines = [
            f"filter {number + 1} of {self._view.name}",
            f"gain ν = max |F f| = {float(self._view.prior.gains[number]):.3f}",
        ]
        if self._analysis is not None:
            lines += facts(self._analysis, number)
        return "\n".join([*lines, "Click: its response and its part of the score become layers."])

    def save(self, path: Path) -> None:
        """Save as PNG, SVG, or the taps as CSV."""
        if path.suffix.lower() != ".csv" or self._view is None:
            super().save(path)
            return
        lines = io.StringIO(newline="")
        writer = csv.writer(lines)
        writer.writerow(("filter", "row", "column", "tap"))
        for (k, row, column), tap in np.ndenumerate(self._view.kernels):
            writer.writerow((k + 1, row, column, f"{tap:.9g}"))
        write_file(path, lines.getvalue())

    def _note(self, number: int) -> str:
        if self.is_off(number):
            return "off"
        return "" if self._analysis is None else f"{100 * self._analysis.shares[number]:.1f} %"


def facts(analysis: Analysis, number: int) -> list[str]:
    """Say what a filter does at a noise level, in lines."""
    state = "switched off" if analysis.off[number] else "active"
    return [
        f"share of the score {100 * analysis.shares[number]:.1f} % at sigma = {analysis.sigma:.3f}",
        f"its potential varies by {analysis.variations[number]:.2f} nats over the responses: {state}",
    ]


def coloured(values: NDArray[np.floating], colormap: str) -> QImage:
    """Colour an array of numbers from 0 to 1."""
    colours = np.ascontiguousarray(colormaps[colormap](np.asarray(values, dtype=float), bytes=True))
    rows, columns = values.shape
    image = QImage(colours.tobytes(), columns, rows, 4 * columns, QImage.Format.Format_RGBA8888)
    return image.copy()  # QImage does not keep the bytes alive
