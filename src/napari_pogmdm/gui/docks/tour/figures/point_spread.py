"""The point spread as a curve in decibels: where aliasing goes, and how strong it is, one mask beside another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg

from napari_pogmdm.arrays import Doubles, FloatImage
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.tour.figures.figure import Figure
from napari_pogmdm.gui.docks.tour.numbers import side_lobe
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.sampling.mask_recipe import NAMES

_FLOOR = -50.0  # dB; what is fainter is lost in the noise of any scan


@dataclass(frozen=True, eq=False)
class Profile:
    """A point spread along the direction in which lines were left out.

    Attributes
    ----------
    label
        Kind of mask, and its acceleration.
    offsets
        (n,) pixels from the bright one.
    decibels
        (n,) strength relative to the peak, the strongest of all pixels across the direction.
    loudest
        Offset and decibels of the strongest side lobe.
    """

    label: str
    offsets: Doubles
    decibels: Doubles
    loudest: tuple[float, float]


def profile_of(point_spread: FloatImage, mask: Mask) -> Profile:
    """Take the profile of a point spread (rows, columns) in decibels."""
    across = 1 if mask.axis == "rows" else 0
    decibels = point_spread.max(axis=across).astype(np.float64)
    offsets = np.arange(decibels.size, dtype=np.float64) - decibels.size // 2
    offset, loudest = side_lobe(point_spread)
    label = f"{NAMES.get(mask.kind, mask.kind)}, R {mask.acceleration:.1f}"
    return Profile(label, offsets, decibels, (float(offset[1 - across]), loudest))


class PointSpreadFigure(Figure):
    """The curve of the present mask, and with broken lines that of the mask before.

    Parameters
    ----------
    workbench
        Whose mask is looked at.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench, "pixels from the bright one", "strength / dB")
        self.now: Profile | None = None
        self.before: Profile | None = None
        before, now = self.colours[1], self.colours[0]
        self._curves = [self.plot.curve(before, "before", dashed=True), self.plot.curve(now, "now")]
        self._mark = self.plot.plot([], [], pen=None, symbol="o", symbolSize=9, name="strongest side lobe")
        self._label = pg.TextItem(anchor=(0.5, 1.1))
        self.plot.addItem(self._label, ignoreBounds=True)
        self.plot.setYRange(_FLOOR, 4.0, padding=0)
        self.listen((self.session.events.preview,), self.draw)

    def forget(self) -> None:
        """Forget the masks of earlier lessons."""
        self.now = self.before = None

    def draw(self) -> None:
        """Draw the present mask's point spread."""
        preview, mask = self.session.preview, self.session.mask
        if preview is None or mask is None:
            return
        found = profile_of(preview.point_spread, mask)
        if self.now is None or found.label != self.now.label:
            self.before = self.now
        self.now = found
        colours = self.colours
        for curve, profile, colour in zip(self._curves, (self.before, found), (colours[1], colours[0]), strict=True):
            curve.setPen(pg.mkPen(colour, width=1, style=curve.opts["pen"].style()))
            if profile is None:
                curve.setData([], [])
            else:
                curve.setData(profile.offsets, np.maximum(profile.decibels, _FLOOR))
        self._mark.setData([found.loudest[0]], [found.loudest[1]])
        self._mark.setSymbolBrush(colours[0])
        edge = found.loudest[0] / max(1.0, float(np.abs(found.offsets).max()))
        self._label.setAnchor((0.5 + 0.5 * edge, 1.1))  # inside the plot also where the lobe is at its edge
        self._label.setFont(self.plot.letters())
        self._label.setText(f"{found.loudest[1]:.0f} dB", color=colours[0])
        self._label.setPos(*found.loudest)
        half = found.offsets.size / 2
        self.plot.setXRange(-half, half, padding=0.01)
        self.say(self._words())

    def _words(self) -> list[str]:
        said = []
        for profile, colour in ((self.now, self.colours[0]), (self.before, self.colours[1])):
            if profile is not None:
                mark = "━" if profile is self.now else "╌╌"
                said.append(
                    f'<span style="color:{colour}">{mark}</span> {profile.label}: '
                    f"strongest side lobe <b>{profile.loudest[1]:.0f} dB</b>"
                )
        return said
