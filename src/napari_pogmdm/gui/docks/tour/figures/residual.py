"""The residual after every line of the algorithm: which line knows about the measurement."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from qtpy.QtGui import QFont, QFontMetrics

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.tour.figures.figure import Figure
from napari_pogmdm.gui.widgets.plots import letter_points
from napari_pogmdm.runs.status import TracePoint

_SHOWN = 12  # lines of the algorithm at most, the newest: two iterations and a little
_FEWEST = 3  # lines that are shown in the narrowest plot
_LONGEST = "predict "  # name of a line, with a gap after it


def lines_done(trace: Sequence[TracePoint], plan: Sequence[str]) -> list[tuple[str, float]]:
    """Name the line that led to each point, and give the residual after it in percent of the data."""
    if not plan:
        return []
    names = [plan[(point.substep - 1) % len(plan)] if point.iteration or point.substep else "start" for point in trace]
    return [(name, 100 * point.misfit) for name, point in zip(names, trace, strict=True)]


class ResidualFigure(Figure):
    """A dot after every line, in the colour of the line.

    Parameters
    ----------
    workbench
        Whose run is looked at.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench, "lines of the algorithm", "residual / %")
        self._line = self.plot.curve("#888888", "residual")
        self._dots = self.plot.plot([], [], pen=None, symbol="o", symbolSize=11, name="after the line")
        self.listen((self.session.events.trace, self.session.events.status), self.draw)

    def draw(self) -> None:
        """Draw the newest lines."""
        room = self.room()
        done = lines_done(self.session.trace, self.session.status.plan)[-room:]
        places = list(range(len(done)))
        values = [value for _, value in done]
        known = dict(zip(("data", "predict", "correct", "coils"), self.colours, strict=False))
        self._line.setData(places, values)
        brushes = [pg.mkBrush(known.get(name, "#888888")) for name, _ in done]
        self._dots.setData(places, values, symbolBrush=brushes or None)
        self.plot.getAxis("bottom").setTicks([[(place, name) for place, (name, _) in enumerate(done)]])
        self.plot.setXRange(-0.5, max(len(done), min(room, 6)) - 0.5, padding=0)
        self.plot.setYRange(0, max([*values, 1.0]), padding=0.05)
        if len(done) > 1:
            (_, before), (name, after) = done[-2:]
            self.say([f"<b>{name}</b>: residual {before:.1f} % → <b>{after:.1f} %</b>"])
        else:
            self.say([f"residual <b>{value:.1f} %</b> of the data" for value in values])

    def room(self) -> int:
        """Count the lines whose names fit side by side."""
        font = QFont(self.plot.font())
        font.setPointSizeF(letter_points())
        return max(_FEWEST, min(_SHOWN, self.plot.width() // QFontMetrics(font).horizontalAdvance(_LONGEST)))
