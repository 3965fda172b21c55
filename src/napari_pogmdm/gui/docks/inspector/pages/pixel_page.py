"""The page about one pixel: which filter pulls it where."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QLabel

from napari_pogmdm.gui.docks.inspector.pages.page import Inspection, Page, Save, names_of, plain_numbers
from napari_pogmdm.gui.docks.inspector.pixel import PixelReading
from napari_pogmdm.gui.widgets.plots import Plot, save_plot

if TYPE_CHECKING:
    from napari.viewer import Viewer

_UP, _DOWN, _SUM = "#43b96b", "#5b8ff9", "#e8486f"
_TOO_SMALL, _ROOM = 0.25, 1.5  # the scale changes when bars fill less than a quarter of it, and leaves room then
_INVITATION = "Move the mouse over the image, or click a pixel of it to keep it."


class PullPlot(Plot):
    """Bars: what each filter adds to the score at the pixel, and their sum.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    """

    def __init__(self, viewer: Viewer) -> None:
        super().__init__(viewer, "filter", "part of the score")
        self._bars = pg.BarGraphItem(x=[0.0], height=[0.0], width=0.7)
        self._values = self.curve("#00000000", "part of the score")
        self.addItem(self._bars)
        self.setMouseEnabled(x=False, y=False)
        plain_numbers(self)

    def show_pixel(self, reading: PixelReading | None, highest: float) -> None:
        """Draw the bars, the sum at the right, on a scale that does not jump with every pixel."""
        pulls = np.zeros(1) if reading is None else np.append(reading.pulls, reading.score)
        positions = np.arange(1, len(pulls) + 1, dtype=float)
        positions[-1] += 0.5
        colours = [_UP if value > 0 else _DOWN for value in pulls[:-1]]
        self._bars.setOpts(x=positions, height=pulls, brushes=[*colours, _SUM], pens=[*colours, _SUM])
        self._values.setData(positions[:-1], pulls[:-1])
        self.setXRange(0.3, positions[-1] + 0.7, padding=0)
        self.setYRange(-highest, highest)
        named = [number for number in range(1, len(pulls)) if number == 1 or number % 5 == 0]
        names = [(float(number), str(number)) for number in named]
        self.getAxis("bottom").setTicks([[*names, (float(positions[-1]), "sum")]])


class PixelPage(Page):
    """Numbers, an arrow, and the bars of one or two models.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    """

    title = "Pi&xel"

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        self.words = QLabel(_INVITATION)
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.words.setMinimumWidth(150)
        self.words.setMaximumWidth(300)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.row.addWidget(self.words)
        self.bars = (PullPlot(viewer), PullPlot(viewer))
        for plot in self.bars:
            plot.setMinimumSize(120, 80)
            self.row.addWidget(plot, 1)
        self.bars[1].setYLink(self.bars[0])
        self._highest = 1.0

    def draw(self, inspection: Inspection) -> None:
        """Show the pulls at the pixel."""
        found = [reading for reading in inspection.pixels if reading is not None]
        self.words.setText(_words(inspection) if found else _INVITATION)
        if found:
            largest = max(max(float(np.abs(reading.pulls).max()), abs(reading.score)) for reading in found)
            if not _TOO_SMALL * self._highest <= largest <= self._highest:
                self._highest = _ROOM * largest or 1.0
        for model, plot in enumerate(self.bars):
            present = model < len(inspection.views)
            plot.setVisible(present)
            if present:
                title = f"pulls of {inspection.views[model].name} and their sum"
                if plot.title != title:
                    plot.title = title
                    plot.follow_theme()
                plot.show_pixel(inspection.pixels[model], self._highest)

    def explanation(self, inspection: Inspection) -> str:
        """Say what one sees."""
        return (
            "Parts −K<sub>k</sub><sup>T</sup>φ<sub>k</sub>(K<sub>k</sub>x) of the score ∇ log p, eq. (16), at a pixel; "
            "red: their sum; Tweedie, eq. (9), adds sigma² times it."
        )

    def exports(self, inspection: Inspection) -> list[tuple[str, Save]]:
        """Offer the bars."""
        return [
            (f"pulls of {name} at the pixel", partial(save_plot, self.bars[model]))
            for model, name in enumerate(names_of(inspection.views))
            if inspection.pixels[model] is not None
        ]


def _words(inspection: Inspection) -> str:
    """Make a table with a column for each model."""
    pairs = [
        (view, reading)
        for view, reading in zip(inspection.views, inspection.pixels, strict=True)
        if reading is not None
    ]
    place = pairs[0][1]
    kinds: list[tuple[str, Callable[[PixelReading], str]]] = [
        ("score", lambda reading: f"{reading.score:+z.2f}"),
        ("sigma² · score", lambda reading: f"{_arrow(reading)} {reading.step:+z.4f}"),
        ("E[x₀|xₜ]", lambda reading: f"<b>{reading.value + reading.step:z.4f}</b>"),
    ]
    head = "".join(f"<td><b>{view.name}</b></td>" for view, _ in pairs)
    rows = "".join(
        f"<tr><td>{name}</td>{''.join(f'<td>{words(reading)}</td>' for _, reading in pairs)}</tr>"
        for name, words in kinds
    )
    return (
        f"pixel ({place.row}, {place.column}), x = {place.value:z.4f}"
        f'<table cellspacing="0" cellpadding="3"><tr><td></td>{head}</tr>{rows}</table>'
    )


def _arrow(reading: PixelReading) -> str:
    return f'<span style="color:{_SUM}">{"▲" if reading.step > 0 else "▼"}</span>'
