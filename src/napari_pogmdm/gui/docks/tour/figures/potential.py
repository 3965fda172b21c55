"""One potential, large, with the response of one pixel on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
import torch
from qtpy.QtCore import QTimer
from qtpy.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSpinBox, QWidget

from napari_pogmdm.arrays import Doubles, Singles
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.tour.figures.figure import Figure, SigmaRow, switch
from napari_pogmdm.gui.layers.pixel_follower import PixelFollower
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.runs.roles import Role

if TYPE_CHECKING:
    from napari.layers import Layer

_POINTS = 601  # of a curve, odd so that one lies at zero
_WIDEST = 0.35  # response at the ends of the axis: edges of tissue are smaller, the rim of the head is larger
_LARGEST_SIGMA = 0.5  # as in the Inspector
_STEP = 60  # milliseconds between two pixels of the walk
_FLAT = 1e-3  # nats: what hills between two minima must rise to count


def minima(values: Doubles) -> list[int]:
    """Find the places of a curve's minima, those left out that no hill separates from a lower one."""
    inner = np.flatnonzero((values[1:-1] < values[:-2]) & (values[1:-1] <= values[2:])) + 1
    found: list[int] = []
    for place in inner:
        hill = values[found[-1] : place + 1].max() if found else np.inf
        if not found or hill - max(values[found[-1]], values[place]) > _FLAT:
            found.append(int(place))
        elif values[place] < values[found[-1]]:
            found[-1] = int(place)
    return found


class PotentialFigure(Figure):
    """The potential of one filter at a noise level and without noise; a dot is the pixel under the mouse.

    Parameters
    ----------
    workbench
        Whose model and image are looked at.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench, "response of the filter at the pixel", "potential / nats")
        self.place: tuple[int, int] | None = None
        self.response = 0.0
        self._asked: tuple[Prior, int, float] | None = None
        self._responses: Singles | None = None
        self.filter = QSpinBox()
        self.filter.setObjectName("potential_filter")
        self.filter.setRange(1, 1)
        self.filter.valueChanged.connect(self.draw)
        self.sigma = SigmaRow("potential_sigma", _LARGEST_SIGMA, self.draw)
        self.follow = switch("follow the run", "potential_follow", self.draw)
        self.walk = QPushButton("&Walk a row")
        self.walk.setObjectName("potential_walk")
        self.walk.setCheckable(True)
        self.walk.setToolTip("Let the pixel go along the middle row by itself")
        self.walk.toggled.connect(self._walk_or_stand)
        which = QWidget()
        pair = QHBoxLayout(which)
        pair.setContentsMargins(0, 0, 0, 0)
        pair.addWidget(QLabel("filter"))
        pair.addWidget(self.filter, 1)
        self.offer((self.walk, which, self.follow, self.sigma))
        self._clean = self.plot.curve("#888888", "σ = 0", dashed=True)
        self._curve = self.plot.curve(self.colours[0], "potential")
        self._minima = self.plot.plot([], [], pen=None, symbol="t1", symbolSize=9, symbolPen=None, name="minima")
        self._dot = self.plot.plot([], [], pen=None, symbol="o", symbolSize=14, name="pixel")
        self._line = pg.InfiniteLine(angle=90, pen=pg.mkPen("#e8486f", width=1))
        self.plot.addItem(self._line, ignoreBounds=True)
        self.plot.setXRange(-_WIDEST, _WIDEST, padding=0)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._step)
        self._mouse = PixelFollower(workbench.viewer, self)
        self._mouse.moved.connect(self._moved)
        self.destroyed.connect(_closing(self._mouse))
        events = self.session.events
        self.listen((events.prior, events.status, events.reference), self.draw)

    @property
    def level(self) -> float:
        """The noise level that is drawn: that of the run if it is followed."""
        running = self.session.status.sigma
        return running if self.follow.isChecked() and running else self.sigma.sigma

    def draw(self) -> None:
        """Draw the chosen filter's potential, and the pixel on it."""
        prior = self._prior
        if prior is None or not self.isVisible():
            return
        self.filter.setMaximum(prior.configuration.filters)
        index, sigma = self.filter.value() - 1, self.level
        if self._asked is None or self._asked[:2] != (prior, index):
            self._responses = None
        if self._asked != (prior, index, sigma):
            self._asked = (prior, index, sigma)
            grid = torch.linspace(-_WIDEST, _WIDEST, _POINTS, dtype=torch.float64)
            self._x = grid.numpy()
            clean = prior.potentials(grid, 0.0)[index].numpy()
            self._y = prior.potentials(grid, sigma)[index].numpy()
            self._y = self._y - self._y.min()
            self._clean.setData(self._x, clean - clean.min())
            self._curve.setData(self._x, self._y)
            self._curve.setPen(pg.mkPen(self.colours[0], width=2))
            self._bottoms = minima(self._y)
            self._minima.setData(self._x[self._bottoms], self._y[self._bottoms])
            self._minima.setSymbolBrush(self.colours[1])
            self.plot.setYRange(0, max(float(self._y.max()), float((clean - clean.min()).max())), padding=0.06)
        if self.place is None and self._layer is not None:
            rows, columns = self._layer.data.shape[-2:]
            self.place = (rows // 2, columns // 2)
        self._mark_pixel()

    def end(self) -> None:
        """Stop the walk, and take the cross from the pictures."""
        self.walk.setChecked(False)
        self.workbench.frame.mark(None)

    @property
    def _prior(self) -> Prior | None:
        """The model, if it has potentials."""
        prior = self.session.prior
        return prior if isinstance(prior, Prior) else None

    @property
    def _layer(self) -> Layer | None:
        book = self.workbench.book
        return next((layer for role in (Role.IMAGE, Role.REFERENCE) if (layer := _seen(book.get(role)))), None)

    def _mark_pixel(self) -> None:
        prior, layer = self._prior, self._layer
        if prior is None or layer is None or self.place is None:
            return
        if self._responses is None or layer.name == "" or self._moving(layer):
            image = np.asarray(layer.data, dtype=np.float32)
            image = image / np.float32(self.workbench.book.geometry.white or 1.0)
            self._responses = prior.responses(torch.from_numpy(image))[self.filter.value() - 1].numpy()
        row, column = self.place
        if row >= self._responses.shape[0] or column >= self._responses.shape[1]:
            return
        self.response = float(self._responses[row, column])
        shown = float(np.clip(self.response, -_WIDEST, _WIDEST))
        height = float(np.interp(shown, self._x, self._y))
        slope = float(np.interp(shown, self._x, np.gradient(self._y, self._x)))
        self._dot.setData([shown], [height])
        self._dot.setSymbolBrush("#e8486f")
        self._line.setValue(shown)
        self.workbench.frame.mark(tuple(layer.data_to_world(self.place))[-2:])
        count = len(self._bottoms)
        self.say(
            [
                f'<span style="color:#e8486f">●</span> pixel ({row}, {column}): response <b>{self.response:+z.3f}</b>, '
                f"cost {height:.2f}, slope {slope:+z.0f}",
                f'<span style="color:{self.colours[1]}">▲</span> {count} {"minimum" if count == 1 else "minima"} '
                f"at σ = {self.level:.3g}",
            ]
        )

    def _moving(self, layer: Layer) -> bool:
        """Whether the picture may be another than at the last look."""
        return layer is self.workbench.book.get(Role.IMAGE)

    def _moved(self) -> None:
        layer = self._layer
        if layer is None or self._mouse.position is None or not self.isVisible() or self.walk.isChecked():
            return
        place = [round(value) for value in layer.world_to_data(self._mouse.position)[-2:]]
        if all(0 <= at < size for at, size in zip(place, layer.data.shape[-2:], strict=True)):
            self.place = (place[0], place[1])
            self._mark_pixel()

    def _walk_or_stand(self, on: bool) -> None:
        if on:
            self._timer.start(_STEP)
        else:
            self._timer.stop()

    def _step(self) -> None:
        layer = self._layer
        if layer is None or self.place is None:
            return
        rows, columns = layer.data.shape[-2:]
        self.place = (rows // 2, (self.place[1] + 1) % columns)
        self._mark_pixel()


def _seen(layer: Layer | None) -> Layer | None:
    return layer if layer is not None and layer.visible and layer.ndim == 2 else None


def _closing(mouse: PixelFollower) -> Callable[..., None]:
    return lambda *_: mouse.close()
