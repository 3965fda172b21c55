"""Images of two pixels as points of a plane: their density under noise, and the score as arrows."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from napari_pogmdm.arrays import Doubles
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.tour.figures import toy
from napari_pogmdm.gui.docks.tour.figures.figure import Figure, SigmaRow, switch

_LOW, _HIGH = -0.3, 1.3  # of both pixels: what noise of 0.15 reaches
_ARROWS = 15  # along each side; more could not be told apart
_LONGEST = 0.85  # of the distance between two arrows
_HEAD, _HEAD_ANGLE = 0.35, 0.45  # length of an arrow's head, as a share of it, and half its opening in radians
_PIXELS = 120  # of the picture of the density, along each side
_DRAWN, _FOLLOWED = 250, 40  # images that are shown; that get noise and are denoised
_LARGEST_SIGMA = 0.6  # with more, one broad hill is all there is
_SMALLEST_SIGMA = 0.02  # below it, arrows would have to be drawn of no length
_ALMOST_NOTHING = 1e-9  # length of an arrow


def arrows(sigma: float) -> Doubles:
    """Give arrows along the score, longer where it is stronger: (segments, 2, 2) of begins and ends, with heads."""
    side = np.linspace(_LOW, _HIGH, _ARROWS)
    begins = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    steps = sigma**2 * toy.score(begins, sigma)  # to the estimate
    lengths = np.linalg.norm(steps, axis=1, keepdims=True)
    gap = side[1] - side[0]
    steps *= _LONGEST * gap * np.tanh(lengths / gap) / np.maximum(lengths, _ALMOST_NOTHING)
    ends = begins + steps
    turned = [_turn(-_HEAD * steps, angle) for angle in (_HEAD_ANGLE, -_HEAD_ANGLE)]
    return np.concatenate([np.stack([begins, ends], 1), *(np.stack([ends, ends + head], 1) for head in turned)])


def _turn(vectors: Doubles, angle: float) -> Doubles:
    cosine, sine = np.cos(angle), np.sin(angle)
    return vectors @ np.array([[cosine, sine], [-sine, cosine]])


def distances(sigma: float) -> tuple[float, float]:
    """Root mean square distance to the clean images: of the followed noisy ones, and of their estimates."""
    clean, noisy = _followed(sigma)
    found = toy.estimate(noisy, sigma)
    return _rms(noisy - clean), _rms(found - clean)


def _followed(sigma: float) -> tuple[Doubles, Doubles]:
    clean = toy.drawn(_FOLLOWED, seed=1)
    return clean, clean + sigma * np.random.default_rng(2).standard_normal(clean.shape)


def _rms(vectors: Doubles) -> float:
    return float(np.sqrt(np.square(vectors).sum(axis=1).mean()))


class ToyScoreFigure(Figure):
    """Density, arrows, and on request some noisy images with one step back.

    Parameters
    ----------
    workbench
        In whose window it stands.
    """

    alone = True

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench, "value of the first pixel", "value of the second pixel")
        self.sigma = SigmaRow("toy_sigma", _LARGEST_SIGMA, self.draw)
        self.points = switch("one step for 40 noisy images", "toy_points", self.draw)
        self.offer((self.points, self.sigma))
        self._picture = pg.ImageItem(axisOrder="row-major")
        self._picture.setColorMap(pg.colormap.get("CET-L8"))
        self.plot.addItem(self._picture)
        self._images = self.plot.plot([], [], pen=None, symbol="o", symbolSize=3, symbolPen=None, name="images")
        self._arrows = self.plot.plot([], [], pen=pg.mkPen("#ffffff", width=1), connect="pairs", name="score")
        self._steps = self.plot.plot([], [], pen=pg.mkPen("#59d499", width=2), connect="pairs", name="one step")
        self._noisy = self.plot.plot([], [], pen=None, symbol="o", symbolSize=6, symbolBrush="#ffffff", name="noisy")
        self._found = self.plot.plot([], [], pen=None, symbol="o", symbolSize=7, symbolBrush="#59d499", name="estimate")
        clean = toy.drawn(_DRAWN)
        self._images.setData(*clean.T)
        self._images.setSymbolBrush("#ffb454")
        self.plot.setAspectLocked(True)
        self.plot.setRange(xRange=(_LOW, _HIGH), yRange=(_LOW, _HIGH), padding=0)
        self.sigma.number.setValue(0.15)  # where hills and valleys are both seen

    def draw(self) -> None:
        """Draw density and arrows at the noise level."""
        sigma = max(self.sigma.sigma, _SMALLEST_SIGMA)
        side = np.linspace(_LOW, _HIGH, _PIXELS)
        grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
        self._picture.setImage(np.sqrt(toy.density(grid, sigma)).reshape(_PIXELS, _PIXELS))
        self._picture.setRect(_LOW, _LOW, _HIGH - _LOW, _HIGH - _LOW)
        self._arrows.setData(*arrows(sigma).reshape(-1, 2).T)
        noisy = _followed(sigma)[1]
        found = toy.estimate(noisy, sigma)
        shown = self.points.isChecked()
        empty = np.empty((0, 2))
        self._noisy.setData(*(noisy if shown else empty).T)
        self._found.setData(*(found if shown else empty).T)
        self._steps.setData(*(np.stack([noisy, found], 1).reshape(-1, 2) if shown else empty).T)
        before, after = distances(sigma)
        parts = ["arrows: the score", '<span style="color:#ffb454">●</span> images of two pixels']
        if shown:
            parts = [f"distance to the clean images: noisy <b>{before:.2f}</b>, after one step <b>{after:.2f}</b>"]
        self.say(parts)
