"""The page about time conditioning: how wide every expert is at every noise level, with a slow and a fast example."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg

from napari_pogmdm.gui.docks.inspector.curves import conditioning
from napari_pogmdm.gui.docks.inspector.model_view import TIMES, ModelView
from napari_pogmdm.gui.docks.inspector.pages.page import Inspection, Page, Save, names_of, plain_numbers
from napari_pogmdm.gui.docks.inspector.pages.potential_panel import LEVEL_COLOURS, height_of
from napari_pogmdm.gui.widgets.plots import Plot, save_plot
from napari_pogmdm.prior.figures import PAPER_LEVELS

if TYPE_CHECKING:
    from napari.viewer import Viewer

HIGHLIGHTS = ("#f0883e", "#4fa3ff")
"""Of the chosen (or slowest) and of the fastest filter."""
_GREY = "#8a8f98"
_NEAR_ZERO = 0.25  # sigma up to which the second plot shows, beyond the paper's largest level of 0.2
_LOWEST, _HIGHER = 80, 150  # pixels of a plot beside others, and below others


class ConditioningPlot(Plot):
    """sigma_k^2(t) of all filters of a model, two of them highlighted with the paper's levels marked.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    furthest
        Largest sigma of the axis.
    title
        Heading.
    """

    def __init__(self, viewer: Viewer, furthest: float, title: str) -> None:
        super().__init__(viewer, "sigma", "variance σₖ²(t)", title)
        self._furthest = furthest
        plain_numbers(self)
        self._marker = pg.InfiniteLine(angle=90, pen=pg.mkPen("#e8486f", width=1))
        self.setMouseEnabled(x=False, y=False)

    def show_model(self, view: ModelView, highlighted: tuple[int, int]) -> None:
        """Draw all curves, the highlighted ones last."""
        self.clear()
        self.addItem(self._marker)
        near = self._furthest + 1e-9 >= TIMES
        for k in range(view.count):
            if k not in highlighted:
                self.curve(_GREY, f"filter {k + 1}").setData(TIMES[near], view.variances[k, near])
        levels = np.array(PAPER_LEVELS)
        marks = conditioning(view.prior, levels)
        for k, colour in zip(highlighted, HIGHLIGHTS, strict=True):
            self.curve(colour, f"filter {k + 1}").setData(TIMES[near], view.variances[k, near])
            self.plot(
                levels, marks[k], pen=None, symbol="x", symbolSize=8, symbolPen=colour, name=f"filter {k + 1}, marked"
            )
        self.setXRange(0, self._furthest, padding=0.02)

    def show_sigma(self, sigma: float) -> None:
        """Move the marker to the current noise level."""
        self._marker.setValue(sigma)
        self._marker.setVisible(sigma <= self._furthest)


class TimePage(Page):
    """Time conditioning: the whole range, near zero, and potentials of the two highlighted filters.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    """

    title = "&Time"

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        self.whole = tuple(ConditioningPlot(viewer, 1.0, "time conditioning") for _ in range(2))
        self.near = tuple(ConditioningPlot(viewer, _NEAR_ZERO, "near zero") for _ in range(2))
        self.examples = tuple(Plot(viewer, "response", "−log ψₖ") for _ in range(2))
        for plot in (self.whole[0], self.near[0], *self.examples, self.whole[1], self.near[1]):
            plot.setMinimumSize(90, _LOWEST)
            self.row.addWidget(plot, 1)
        self.whole[1].setYLink(self.whole[0])
        self.near[1].setYLink(self.near[0])
        for plot in self.examples:
            plot.setMouseEnabled(x=False, y=False)
            plain_numbers(plot)
        self._shown: tuple[object, ...] | None = None

    def stack(self, *, narrow: bool) -> None:
        """Give plots below each other some height; the dock scrolls."""
        super().stack(narrow=narrow)
        for plot in (*self.whole, *self.near, *self.examples):
            plot.setMinimumHeight(_HIGHER if narrow else _LOWEST)

    def draw(self, inspection: Inspection) -> None:
        """Draw the models' curves, and move the markers."""
        two = len(inspection.views) > 1
        for plot in self.examples:
            plot.setVisible(not two)
        self.whole[1].setVisible(two)
        self.near[1].setVisible(two)
        shown = (inspection.views, inspection.selected)
        if self._shown != shown:
            self._shown = shown
            for model, view in enumerate(inspection.views):
                self._draw_model(inspection, model, view, two)
        for plot in (*self.whole, *self.near):
            plot.show_sigma(inspection.sigma)

    def _draw_model(self, inspection: Inspection, model: int, view: ModelView, two: bool) -> None:
        pair = highlighted(view, inspection.chosen(model))
        for plot, what in ((self.whole[model], "σₖ²(t)"), (self.near[model], "near zero")):
            plot.title = f"{view.name}: {what}" if two else what
            plot.follow_theme()
            plot.show_model(view, pair)
        highest = max(float(each.variances.max()) for each in inspection.views)
        near = max(float(each.variances[:, TIMES <= _NEAR_ZERO].max()) for each in inspection.views)
        self.whole[model].setYRange(0, highest)
        self.near[model].setYRange(0, near)
        if not two:
            for plot, k, colour, speed in zip(self.examples, pair, HIGHLIGHTS, _speeds(view, pair), strict=True):
                _draw_example(plot, view, k, f'<span style="color:{colour}">filter {k + 1}, {speed}</span>')

    def explanation(self, inspection: Inspection) -> str:
        """Say what one sees."""
        rules = "; ".join(f"{view.name}: {view.rule}" for view in inspection.views)
        return (
            f"Variance of each expert against noise. {rules}. Colour: the chosen (or slowest) and the fastest; "
            "× the paper's levels."
        )

    def exports(self, inspection: Inspection) -> list[tuple[str, Save]]:
        """Offer the plots that are shown."""
        offered: list[tuple[str, Save]] = []
        for model, name in enumerate(names_of(inspection.views)):
            offered.append((f"time conditioning of {name}", partial(save_plot, self.whole[model])))
            offered.append((f"time conditioning of {name} near zero", partial(save_plot, self.near[model])))
        if len(inspection.views) == 1:
            names = ("first", "second")
            offered += [
                (f"potential of the {name} highlighted filter", partial(save_plot, plot))
                for name, plot in zip(names, self.examples, strict=True)
            ]
        return offered


def highlighted(view: ModelView, chosen: int | None) -> tuple[int, int]:
    """Give the two filters to highlight: the chosen one, or else the slowest, and the fastest other one."""
    first = view.slow if chosen is None else chosen
    if first != view.fast:
        return first, view.fast
    return first, view.slow


def _speeds(view: ModelView, pair: tuple[int, int]) -> list[str]:
    names = {view.slow: "slowest", view.fast: "fastest"}
    return [names.get(k, "chosen") for k in pair]


def _draw_example(plot: Plot, view: ModelView, k: int, title: str) -> None:
    plot.clear()
    for level, colour, values in zip(PAPER_LEVELS, LEVEL_COLOURS, view.potentials, strict=True):
        plot.curve(colour, f"sigma = {level:g}").setData(view.grid, values[k])
    plot.title = title
    plot.follow_theme()
    plot.setXRange(view.grid[0], view.grid[-1], padding=0)
    plot.setYRange(0, height_of(view.potentials[:, k], view.grid, view.grid[-1]))
