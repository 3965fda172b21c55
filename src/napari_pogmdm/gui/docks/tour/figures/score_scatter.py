"""Where the score points, pixel by pixel, against where the clean image lies."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from qtpy.QtCore import QTimer

from napari_pogmdm.arrays import Singles
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.tour.figures.figure import Figure
from napari_pogmdm.runs.roles import Role

_NOISY, _ESTIMATE = "denoise noisy", "denoise estimate"  # layers of the Denoise dock, in units of its largest value
_SHOWN = 4000  # pixels, drawn by lot: more would only make the cloud solid
_EVERY = 400  # milliseconds between two looks at the layers
_REACH = 0.999  # share of the pixels that the axes show


def cosine(steps: Singles, ways: Singles) -> float:
    """Cosine of the angle between two images: 1 if they point the same way, 0 if they have nothing in common."""
    a, b = steps.astype(np.float64), ways.astype(np.float64)
    return float((a * b).sum() / max(float(np.linalg.norm(a) * np.linalg.norm(b)), np.finfo(np.float64).tiny))


class ScoreScatterFigure(Figure):
    """A dot a pixel: how far the clean image is, and how far the score moves it.

    Parameters
    ----------
    workbench
        Whose layers of the Denoise dock are looked at.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench, "clean − noisy, what would be right", "σ² · score, what is done")
        self._seen = 0.0
        self._dots = self.plot.plot([], [], pen=None, symbol="o", symbolSize=2, symbolPen=None, name="pixels")
        self._diagonal = self.plot.curve("#888888", "right", dashed=True)
        self._zero = pg.InfiniteLine(0, angle=0, pen=pg.mkPen("#888888", width=1))
        self.plot.addItem(self._zero, ignoreBounds=True)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.draw)

    def draw(self) -> None:
        """Draw what the Denoise dock shows now, if it has changed."""
        self._timer.start(_EVERY)
        layers = [self.workbench.book.get(role) for role in (Role.REFERENCE, _NOISY, _ESTIMATE)]
        pictures = [np.asarray(layer.data) for layer in layers if layer is not None]
        if len(pictures) < len(layers):
            self.say(["waiting for the Denoise dock …"])
            return
        picture, noisy, found = pictures
        mark = float(noisy.sum()) + float(found.sum())
        if noisy.shape != picture.shape or mark == self._seen:
            return
        self._seen = mark
        ways, steps = picture / picture.max() - noisy, found - noisy
        chosen = np.random.default_rng(0).choice(ways.size, min(_SHOWN, ways.size), replace=False)
        self._dots.setData(ways.ravel()[chosen], steps.ravel()[chosen])
        self._dots.setSymbolBrush(self.colours[0])
        reach = float(np.quantile(np.abs(ways), _REACH)) or 1.0
        self._diagonal.setData([-reach, reach], [-reach, reach])
        self.plot.setRange(xRange=(-reach, reach), yRange=(-reach, reach), padding=0.02)
        self.say(
            [
                f"cosine between score and the way to the clean image: <b>{cosine(steps, ways):.2f}</b>",
                "the broken line would be perfect",
            ]
        )

    def end(self) -> None:
        """Look no more."""
        self._timer.stop()
