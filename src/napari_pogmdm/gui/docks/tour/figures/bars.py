"""Bars with numbers above them and words below."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from qtpy.QtGui import QFontMetrics, QResizeEvent

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.tour.figures.figure import Figure

_WIDTH = 0.6  # of the distance between two bars
_BELOW = 1.0  # dB between the lowest bar and the floor
_ABOVE = 0.25  # of the height, for the numbers
_TICKS = 10  # pixels between the axis and the words below it
_LEAST = 2.0  # dB from floor to top, so that nothing looks like something


@dataclass(frozen=True)
class Bar:
    """One bar.

    Attributes
    ----------
    name
        Below it.
    value
        Its height, in decibels; NaN for one that has none.
    colour
        Index of its colour.
    remark
        Above it instead of the number, if there is no number.
    """

    name: str
    value: float
    colour: int = 0
    remark: str = ""


def floor_and_top(values: Sequence[float]) -> tuple[float, float]:
    """Find where the axis of some bars begins and ends; decibels have no zero to begin at."""
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return 0.0, 1.0
    floor = math.floor(min(finite) - _BELOW)
    return floor, floor + max((max(finite) - floor) * (1 + _ABOVE), _LEAST)


class BarFigure(Figure):
    """Bars of PSNR; subclasses say which.

    Parameters
    ----------
    workbench
        Whose runs are looked at.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench, "", "PSNR / dB")
        self.bars: list[Bar] = []
        self._items: list[pg.GraphicsObject] = []
        self.plot.getAxis("bottom").setStyle(autoExpandTextSpace=False)

    def draw_bars(self, bars: Sequence[Bar]) -> None:
        """Draw these instead of those before."""
        if list(bars) == self.bars and self._items:
            return
        self.bars = list(bars)
        for item in self._items:
            self.plot.removeItem(item)
        self._items = []
        floor, top = floor_and_top([bar.value for bar in bars])
        colours = self.colours
        for place, bar in enumerate(bars):
            known = math.isfinite(bar.value)
            colour = colours[bar.colour % len(colours)]
            height = bar.value - floor if known else 0.0
            drawn = pg.BarGraphItem(x=[place], y0=[floor], height=[height], width=_WIDTH, brush=colour, pen=None)
            label = pg.TextItem(f"{bar.value:.1f} dB" if known else bar.remark, color=colour, anchor=(0.5, 1.0))
            label.setFont(self.plot.letters())
            label.setPos(place, floor + height)
            for item in (drawn, label):
                self.plot.addItem(item, ignoreBounds=True)
                self._items.append(item)
        self._name_bars()
        self.plot.setXRange(-0.7, max(len(bars), 2) - 0.3, padding=0)
        self.plot.setYRange(floor, top, padding=0)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 - Qt's name
        """Break the words below the bars anew, as there is more or less room for them."""
        super().resizeEvent(event)
        self._name_bars()

    def _name_bars(self) -> None:
        metrics = QFontMetrics(self.plot.letters())
        axes = self.plot.width() - self.plot.getAxis("left").width()
        room = axes / (max(len(self.bars), 2) + 0.4)  # the axis reaches beyond the outer bars
        names = [broken(bar.name, room, metrics.horizontalAdvance) for bar in self.bars]
        lines = max((name.count("\n") + 1 for name in names), default=1)
        axis = self.plot.getAxis("bottom")
        axis.setHeight(lines * metrics.lineSpacing() + _TICKS)
        axis.setTicks([list(enumerate(names))])


def broken(text: str, room: float, width: Callable[[str], int]) -> str:
    """Break lines between words where they are wider than the room.

    Parameters
    ----------
    text
        Of one or more lines.
    room
        Pixels.
    width
        Tells how wide some text is.
    """
    lines: list[str] = []
    for line in text.split("\n"):
        lines.append("")
        for word in line.split(" "):
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and width(longer) > room:
                lines.append(word)
            else:
                lines[-1] = longer
    return "\n".join(lines)
