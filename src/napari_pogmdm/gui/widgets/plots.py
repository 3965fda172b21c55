"""Curves that follow napari's theme and can be saved as they are seen."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from napari.settings import get_settings
from napari.utils.theme import get_theme
from numpy.typing import ArrayLike
from qtpy.QtCore import QBuffer, QEvent
from qtpy.QtGui import QFont
from qtpy.QtWidgets import QApplication, QWidget

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file, write_file

if TYPE_CHECKING:
    from napari.viewer import Viewer

CURVE_COLOURS = ("#4fa3ff", "#ffb454", "#59d499", "#f2777a", "#c594f7", "#e6db74")
"""Readable on napari's dark background, and told apart by most people who do not see all colours."""

_ON_LIGHT = ("#1464c0", "#b45f00", "#0d7d46", "#c22f33", "#7b3fbf", "#7a6c00")  # the same hues, darker
_HALF_BRIGHT = 128  # of 255; a background below it is dark
_LABEL_PIXELS = 2.0  # height of a tick's label with some air, in its points, so that labels do not overlap
_USUAL_POINTS = 9.0  # of napari's letters, unless its preferences say otherwise
_TICK_SHARE = 0.9  # of the window's letters, on the axes
_FEWEST_TICKS = 3  # with fewer, an axis cannot be read
_PLAIN_TICKS = (0.1, 0.5, 0.9)  # shares of an axis that is too short for round numbers
_AFTER_OTHERS = -1  # Qt's low priority of events, which it gives to painting itself
_PRINT_INCHES = (6, 4)  # a figure across one column of a page
_PRINT_POINTS = 1.2  # width of its lines


def letter_points() -> float:
    """Size of napari's letters in points, as its preferences say."""
    return float(get_settings().appearance.font_size)


def by_letters(pixels: float) -> int:
    """Turn pixels that are right for napari's usual letters into those for the ones that it has now."""
    return round(pixels * max(1.0, letter_points() / _USUAL_POINTS))


def curve_colours(viewer: Viewer | None) -> tuple[str, ...]:
    """Give colours that stand out from a viewer's theme, or from paper."""
    if viewer is not None and get_theme(viewer.theme).background.as_rgb_tuple()[0] < _HALF_BRIGHT:
        return CURVE_COLOURS
    return _ON_LIGHT


class Plot(pg.PlotWidget):
    """A plot with labelled axes in the colours of the viewer's theme.

    Pens are one pixel wide and not smoothed: wider or smoothed ones cost many times as much.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    bottom, left
        Labels of the axes.
    title
        Above the plot; empty for none.
    left_axis
        An axis of another kind, such as `LogAxis`.
    """

    def __init__(
        self, viewer: Viewer, bottom: str, left: str, title: str = "", left_axis: pg.AxisItem | None = None
    ) -> None:
        super().__init__(useOpenGL=False, antialias=False, axisItems={} if left_axis is None else {"left": left_axis})
        self._viewer = viewer
        self.setMenuEnabled(False)
        self.hideButtons()
        for side, label in (("bottom", bottom), ("left", left)):
            self.setLabel(side, label)
            self.getAxis(side).enableAutoSIPrefix(False)  # "x 0.001" is read by nobody
        self.title = title
        self._follow_letters()
        viewer.events.theme.connect(self.follow_theme)  # napari keeps only a weak reference to a bound method
        get_settings().appearance.events.font_size.connect(self._follow_letters)  # the same

    def follow_theme(self) -> None:
        """Take the colours of the viewer's theme."""
        theme = get_theme(self._viewer.theme)
        ink, paper = theme.text.as_hex(), theme.background.as_hex()
        self.setBackground(paper)
        for side in ("bottom", "left"):
            axis = self.getAxis(side)
            axis.setPen(ink)
            axis.setTextPen(ink)
        self.setTitle(self.title or None, color=ink, size=f"{letter_points():g}pt")

    def letters(self) -> QFont:
        """Give the letters of ticks and remarks, which follow napari's."""
        font = QFont(self.font())
        font.setPointSizeF(max(1.0, _TICK_SHARE * letter_points()))
        return font

    def follow_letters(self) -> None:
        """Take the size of napari's letters."""
        for side in ("bottom", "left"):
            axis = self.getAxis(side)
            axis.setTickFont(self.letters())
            axis.setLabel(axis.labelText or None, **{"font-size": f"{_TICK_SHARE * letter_points():g}pt"})
        self.follow_theme()

    def _follow_letters(self) -> None:
        with suppress(RuntimeError):  # the plot may be gone, while napari's settings stay
            self.follow_letters()

    def curve(self, colour: str, name: str | None = None, dashed: bool = False) -> pg.PlotDataItem:
        """Add an empty curve.

        Parameters
        ----------
        colour
            As ``#rrggbb``.
        name
            In files and legends.
        dashed
            Whether its line is broken.
        """
        style = pg.QtCore.Qt.PenStyle.DashLine if dashed else pg.QtCore.Qt.PenStyle.SolidLine
        return self.plot([], [], pen=pg.mkPen(colour, width=1, style=style), name=name)


@contextmanager
def painted_together(field: QWidget, plots: Iterable[Plot]) -> Iterator[None]:
    """Change several plots on a field so that the window is painted once.

    Left alone, every plot has the whole window painted at once by itself, and once more when it finds while painting
    that its axes have changed; without a graphics card each time costs as much as a picture of the run. A scene that
    is brought up to date has its window painted, too, if that waits to be, so the window's turn comes afterwards.
    """
    window, paint = field.window(), QEvent.Type.UpdateRequest
    QApplication.removePostedEvents(window, paint.value)
    field.setUpdatesEnabled(False)
    try:
        yield
        for plot in plots:
            scene = plot.scene()
            for _ in range(2):  # what changed settles the axes, and these have changed something then
                scene.prepareForPaint()
                QApplication.sendPostedEvents(scene)
    finally:
        field.setUpdatesEnabled(True)
        QApplication.postEvent(window, QEvent(paint), _AFTER_OTHERS)


class LogAxis(pg.AxisItem):
    """A logarithmic axis whose few labels never overlap, however short it is."""

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N802
        """Choose ticks: powers of ten, or with 2 and 5 or 3 between them, or else plain numbers.

        Parameters
        ----------
        low, high
            Ends of the axis, as decimal logarithms.
        size
            Length of the axis in pixels.
        """
        for mantissas in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0)):
            ticks = _log_ticks(low, high, mantissas)
            if len(ticks) >= _FEWEST_TICKS:
                return [(1.0, ticks[:: math.ceil(len(ticks) / max(size / (_LABEL_PIXELS * letter_points()), 1))])]
        return [(1.0, [low + share * (high - low) for share in _PLAIN_TICKS])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """Write numbers the short way.

        Parameters
        ----------
        values
            Their decimal logarithms.
        scale, spacing
            Not needed here, but given by pyqtgraph.
        """
        return [f"{10**value:.2g}" for value in values]


def _log_ticks(low: float, high: float, mantissas: tuple[float, ...]) -> list[float]:
    decades = range(math.floor(low), math.ceil(high) + 1)
    ticks = [decade + math.log10(mantissa) for decade in decades for mantissa in mantissas]
    return [tick for tick in ticks if low <= tick <= high]


def seen(widget: QWidget) -> bool:
    """Whether any part of a widget is on the screen; what is not need not be drawn."""
    return bool(widget.isVisible() and not widget.visibleRegion().isEmpty())


def save_picture(widget: QWidget, path: Path) -> None:
    """Save a widget as it looks as PNG."""
    content = QBuffer()
    content.open(QBuffer.OpenModeFlag.WriteOnly)
    widget.grab().save(content, "PNG")
    write_file(path, content.data().data())


def save_plot(plot: Plot, path: Path) -> None:
    """Save what a plot shows as PNG, SVG or, its curves, as CSV, by the ending of the file's name."""
    kind = path.suffix.lower()
    if kind == ".csv":
        save_curves(path, [(item.name() or f"curve {number}", *item.getData()) for number, item in _curves(plot)])
    elif kind == ".svg":
        _save_drawing(plot, path)
    elif kind == ".png":
        save_picture(plot, path)
    else:
        raise InputError(f"{path.name}: plots are saved as .png, .svg or .csv; choose one of these endings.")


def _save_drawing(plot: Plot, path: Path) -> None:
    """Draw the same curves once more, for print: Qt's own SVG writer spoils pens of constant width."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=_PRINT_INCHES, layout="constrained")
    axes = figure.subplots()
    for _, item in _curves(plot):
        x, y = item.getData()
        if x is not None:
            axes.plot(x, y, color=pg.mkPen(item.opts["pen"]).color().name(), label=item.name(), linewidth=_PRINT_POINTS)
    (left, right), (low, high) = plot.viewRange()
    x_log, y_log = (plot.getAxis(side).logMode for side in ("bottom", "left"))
    if x_log:
        axes.set_xscale("log")
    if y_log:
        axes.set_yscale("log")
    axes.set_xlim(*((10**left, 10**right) if x_log else (left, right)))
    axes.set_ylim(*((10**low, 10**high) if y_log else (low, high)))
    axes.set_xlabel(plot.getAxis("bottom").labelText)
    axes.set_ylabel(plot.getAxis("left").labelText)
    axes.set_title(plot.title)
    if any(item.name() for _, item in _curves(plot)):
        axes.legend(frameon=False)
    with whole_file(path) as stream:
        figure.savefig(stream, format="svg")


def save_curves(path: Path, curves: Sequence[tuple[str, ArrayLike | None, ArrayLike | None]]) -> None:
    """Write curves (name, x, y) as CSV with one row a point."""
    lines = io.StringIO(newline="")
    writer = csv.writer(lines)
    writer.writerow(("curve", "x", "y"))
    for name, x, y in curves:
        pairs = () if x is None else zip(np.asarray(x), np.asarray(y), strict=True)
        writer.writerows((name, f"{a:.9g}", f"{b:.9g}") for a, b in pairs)
    write_file(path, lines.getvalue())


def _curves(plot: Plot) -> list[tuple[int, pg.PlotDataItem]]:
    return list(enumerate(plot.getPlotItem().listDataItems()))
