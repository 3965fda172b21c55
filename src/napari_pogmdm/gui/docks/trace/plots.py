"""The plots of the Trace dock: each draws only what changed, and says the value below the mouse."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from qtpy.QtCore import QEvent, QPointF
from qtpy.QtGui import QFont, QFontMetrics, QResizeEvent

from napari_pogmdm.gui.core.pin import Ghost
from napari_pogmdm.gui.docks.trace.curves import Curve, Quantity, chains_of, curves_of, nearest
from napari_pogmdm.gui.widgets.plots import LogAxis, Plot, letter_points
from napari_pogmdm.runs.status import RunStatus, TracePoint

if TYPE_CHECKING:
    from napari.viewer import Viewer

_AXIS_WIDTH = 5.3  # times the points of letters: six digits, so that plots below each other line up
_FAINTEST = 1e-12  # sigma of 0 on a logarithmic axis
_SMALLEST = (13, 10)  # times the points of letters: a plot that can be read
_SIGMA_TIP = (
    "Noise level sigma: the standard deviation that the run walks down, where the brightest pixel is 1. The paper "
    "writes ζ for it, and √(2t) in the prior."
)
_HEADING_EDGE = 6  # pixels beside a heading
_SMALLEST_HEADING = 0.65  # of the window's letters; smaller ones cannot be read
_FIRST = -0.2  # room for the mark of iteration 0, and nothing before it


def ghost_colour(ghosts: Sequence[Ghost], ghost: Ghost, colours: tuple[str, ...]) -> str:
    """Give the colour of an earlier run: the last ones, as chains take the first."""
    return colours[-1 - list(ghosts).index(ghost) % (len(colours) - 1)]


class HoverPlot(Plot):
    """A small plot whose heading shows the value nearest to the mouse.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    title, meaning
        Heading, and the sentence of its tooltip.
    logarithmic
        Whether the axis of the values is.
    """

    def __init__(self, viewer: Viewer, title: str, meaning: str, logarithmic: bool) -> None:
        super().__init__(viewer, "iteration", "", title, LogAxis(orientation="left") if logarithmic else None)
        self._heading = title
        self.setToolTip(meaning)
        self.setLogMode(y=logarithmic)
        self.setLimits(xMin=_FIRST, minXRange=1.0)
        self.setMouseEnabled(x=False, y=False)
        self.scene().sigMouseMoved.connect(self._hover)

    @abstractmethod
    def value_at(self, where: float) -> str:
        """Say the values nearest to an iteration."""

    def leaveEvent(self, event: QEvent | None) -> None:  # noqa: N802 - Qt's name
        """Show the plain heading again."""
        super().leaveEvent(event)
        self._head(self._heading)

    def _hover(self, position: QPointF) -> None:
        box = self.getPlotItem().vb
        if not box.sceneBoundingRect().contains(position):
            return
        said = self.value_at(box.mapSceneToView(position).x())
        self._head(said or self._heading)

    def follow_letters(self) -> None:
        """Take the size of napari's letters, and as much room as these need."""
        super().follow_letters()
        points = letter_points()
        self.setMinimumSize(*(round(share * points) for share in _SMALLEST))
        self.getAxis("left").setWidth(round(_AXIS_WIDTH * points))
        self.getAxis("left").showLabel(False)

    def follow_theme(self) -> None:
        """Take the colours of the theme; a long heading must not widen the plot beyond its place, nor be cut there."""
        super().follow_theme()
        label, points = self.getPlotItem().titleLabel, letter_points()
        label.setMinimumWidth(0)
        font = QFont(self.font())
        font.setPointSizeF(points)
        wide, room = QFontMetrics(font).horizontalAdvance(self.title), self.width() - _HEADING_EDGE
        if wide > room > 0:
            label.setText(self.title, size=f"{max(_SMALLEST_HEADING, room / wide) * points:.1f}pt")

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 - Qt's name
        """Let the heading have as large letters as there is room for."""
        super().resizeEvent(event)
        if hasattr(self, "_heading"):  # pyqtgraph sizes a plot while it is made
            self.follow_theme()

    def _head(self, text: str) -> None:
        if text != self.title:
            self.title = text
            self.follow_theme()


class SchedulePlot(HoverPlot):
    """Noise levels of the whole run, with a mark at the current one.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    """

    def __init__(self, viewer: Viewer) -> None:
        super().__init__(viewer, "sigma", _SIGMA_TIP, True)
        self._levels: tuple[float, ...] = ()
        self._line = self.curve("#888888", "sigma")
        self._mark = self.plot([], [], pen=None, symbol="o", symbolSize=8, name="now")

    def draw(self, levels: tuple[float, ...], status: RunStatus, colours: tuple[str, ...]) -> None:
        """Show the levels and where a run is."""
        if levels != self._levels:
            self._levels = levels
            self._line.setData(np.arange(len(levels)), levels)
        self._mark.setData([status.iteration], [max(status.sigma, _FAINTEST)])
        self._mark.setSymbolBrush(colours[status.chain % len(colours)])
        self._mark.setSymbolPen(None)

    @property
    def marked(self) -> tuple[float, float]:
        """Iteration and level that the mark stands at."""
        x, y = self._mark.getOriginalDataset()
        return float(x[0]), float(y[0])

    def value_at(self, where: float) -> str:
        """Say the noise level of an iteration."""
        if not self._levels:
            return ""
        iteration = int(np.clip(round(where), 0, len(self._levels) - 1))
        return f"sigma {self._levels[iteration]:.4g} at {iteration}"


class QuantityPlot(HoverPlot):
    """A quantity against the iteration, one colour a chain, with a line at the state that is shown.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    quantity
        What is drawn.
    """

    def __init__(self, viewer: Viewer, quantity: Quantity) -> None:
        super().__init__(viewer, quantity.title, quantity.meaning, quantity.logarithmic)
        self.quantity = quantity
        self._items: dict[int, list[pg.PlotDataItem]] = {}
        self._drawn: dict[int, tuple[Curve, list[Curve]]] = {}
        self._colours: tuple[str, ...] = ()
        self._ghosts: dict[int, list[pg.PlotDataItem]] = {}
        self._now = pg.InfiniteLine(angle=90, pen=pg.mkPen("#888888", width=1, style=pg.QtCore.Qt.PenStyle.DotLine))
        self.addItem(self._now, ignoreBounds=True)
        self.setLimits(minYRange=quantity.least_range)
        if quantity.largest is not None:
            self.setLimits(yMax=quantity.largest)

    def draw(self, trace: Sequence[TracePoint], substeps: int, colours: tuple[str, ...], status: RunStatus) -> None:
        """Show a trace; chains whose curves are as they were are left alone.

        Parameters
        ----------
        trace
            Points of all chains.
        substeps
            Of an iteration.
        colours
            Of the chains, used in turn.
        status
            Where the run stands.
        """
        chains = chains_of(trace)
        for chain in [chain for chain in self._items if chain not in chains]:
            for item in self._items.pop(chain):
                self.removeItem(item)
            self._drawn.pop(chain, None)
        for chain in chains:
            self._draw_chain(chain, *curves_of(trace, self.quantity, substeps, chain), colours)
        self._colours = colours
        self._say_last()
        self._now.setValue(status.iteration + status.substep / max(substeps, 1))

    def draw_ghosts(self, ghosts: Sequence[Ghost], substeps: int, colours: tuple[str, ...]) -> None:
        """Draw the first chains of earlier runs with broken lines, each in a colour of its own.

        Parameters
        ----------
        ghosts
            Earlier runs, oldest first.
        substeps
            Of an iteration.
        colours
            Used in turn, from the end.
        """
        for key in [key for key in self._ghosts if key not in map(id, ghosts)]:
            for item in self._ghosts.pop(key):
                self.removeItem(item)
        for ghost in ghosts:
            if id(ghost) in self._ghosts:
                continue
            iterations, values = curves_of(ghost.trace, self.quantity, substeps, ghost.trace[0].chain)
            items = [self.curve(ghost_colour(ghosts, ghost, colours), ghost.label, dashed=True) for _ in values]
            for item, curve in zip(items, values, strict=True):
                item.setData(iterations, curve)
            self._ghosts[id(ghost)] = items

    def _say_last(self) -> None:
        """Let the heading have the newest value as a number."""
        if not self._drawn:
            return
        values = self._drawn[max(self._drawn)][1]
        name, _, unit = self.quantity.title.partition(" / ")
        numbers = " to ".join(f"{curve[-1]:.4g}" for curve in values if curve.size)
        heading = f"{name} {numbers} {unit}".strip() if numbers else self.quantity.title
        if self.title == self._heading:
            self._head(heading)
        self._heading = heading

    def _draw_chain(self, chain: int, iterations: Curve, values: list[Curve], colours: tuple[str, ...]) -> None:
        colour = colours[chain % len(colours)]
        if chain not in self._items:
            self._items[chain] = [self.curve(colour, f"chain {chain + 1}") for _ in values]
        elif colours != self._colours:
            for item in self._items[chain]:
                item.setPen(pg.mkPen(colour, width=1))
        before = self._drawn.get(chain)
        if before is not None and np.array_equal(before[0], iterations):
            return
        self._drawn[chain] = (iterations, values)
        for item, curve in zip(self._items[chain], values, strict=True):
            single = iterations.size == 1
            item.setData(iterations, curve, symbol="o" if single else None, symbolSize=4)

    @property
    def drawn(self) -> dict[int, tuple[Curve, list[Curve]]]:
        """Iterations and curves by chain, as they are on the screen."""
        return self._drawn

    def value_at(self, where: float) -> str:
        """Say the value of the newest chain nearest to an iteration."""
        if not self._drawn:
            return ""
        iterations, values = self._drawn[max(self._drawn)]
        index = nearest(iterations, where)
        if index is None:
            return ""
        numbers = " to ".join(f"{curve[index]:.4g}" for curve in values)
        name, chain = self.quantity.title.split(" / ")[0], max(self._drawn) + 1
        of_which = f", ch. {chain}" if len(self._drawn) > 1 else ""  # there is little room
        return f"{name} {numbers} at {iterations[index]:.4g}{of_which}"
