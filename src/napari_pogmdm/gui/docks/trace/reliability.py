"""The plot that says whether intervals hold as much of the truth as they claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg

from napari_pogmdm.evaluation.coverage import LEVELS, covered, deviations, judged_intervals, reliability
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.docks.trace.curves import Curve, nearest
from napari_pogmdm.gui.docks.trace.plots import HoverPlot
from napari_pogmdm.recon.sampler.request import RunRequest

if TYPE_CHECKING:
    from napari.viewer import Viewer

    from napari_pogmdm.arrays import FloatImage
    from napari_pogmdm.recon.result import Reconstruction

_ALL = 100.0  # per cent
_TITLE = "reliability"
_TIP = (
    "Share of the object's pixels whose error lies inside the interval, against the share that the interval claims. On "
    "the dashed diagonal both are the same; above it the standard deviation is too large, below it too small."
)


class ReliabilityPlot(HoverPlot):
    """Covered against claimed share of pixels for the chains of a run, with the diagonal.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    """

    def __init__(self, viewer: Viewer) -> None:
        super().__init__(viewer, _TITLE, _TIP, False)
        self.setLabel("bottom", "claimed / %")
        self.setXRange(0, _ALL, padding=0)
        self.setYRange(0, _ALL, padding=0)
        self._diagonal = self.curve("#888888", "as claimed", dashed=True)
        self._diagonal.setData([0, _ALL], [0, _ALL])
        self._line = self.curve("#888888", "covered")
        self._claimed: Curve = np.empty(0)
        self._covered: Curve = np.empty(0)
        self._known: tuple[Reconstruction | None, FloatImage | None] = (None, None)

    def draw(self, session: Session, request: RunRequest | None, colours: tuple[str, ...]) -> None:
        """Judge the result of a run by the reference, once; without either, there is nothing to show.

        Parameters
        ----------
        session
            Has the result and the reference.
        request
            What the run was asked for; ``None`` where there is none.
        colours
            Of curves; the first is taken.
        """
        self._line.setPen(pg.mkPen(colours[0], width=1))
        known = (session.result if request is not None else None, session.reference)
        if all(new is old for new, old in zip(known, self._known, strict=True)):
            return
        self._known = known
        result, reference = known
        judged = None
        if request is not None and result is not None and reference is not None:
            judged = judged_intervals(result, reference, request.measurement)
        points = [] if judged is None else reliability([judged[0]], judged[1])
        self._claimed, self._covered = _ALL * np.array(points).reshape(-1, 2).T
        self._line.setData(self._claimed, self._covered)
        heading = _TITLE
        if judged is not None:
            level = LEVELS[1]
            share = covered([judged[0]], deviations(level), judged[1])
            heading = _in_words(_ALL * level, _ALL * share)
        self._heading = heading
        self._head(heading)

    @property
    def has_values(self) -> bool:
        """Whether there is anything to show."""
        return self._claimed.size > 0

    @property
    def drawn(self) -> tuple[Curve, Curve]:
        """Per cent claimed and covered, as they are on the screen."""
        x, y = self._line.getOriginalDataset()
        return (np.empty(0), np.empty(0)) if x is None else (x, y)

    def value_at(self, where: float) -> str:
        """Say how much the interval nearest to a claimed share covers."""
        index = nearest(self._claimed, where)
        return "" if index is None else _in_words(self._claimed[index], self._covered[index])


def _in_words(claimed: float, covered_share: float) -> str:
    return f"{claimed:.0f} % holds {covered_share:.0f} %"  # there is little room
