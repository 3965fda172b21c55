"""Noise schedules: the paper's beside the default's, or that of a recorded run with a mark where it stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pyqtgraph as pg

from napari_pogmdm.arrays import Doubles
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.tour.figures.figure import Figure
from napari_pogmdm.gui.widgets.plots import LogAxis
from napari_pogmdm.recon.sampler.algorithms.by_name import noise_schedule
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.recording import Recording
from napari_pogmdm.runs.status import COLUMNS

TISSUE = 0.05
"""Noise level about as large as the contrast between tissues, where the brightest pixel is 1."""

_FROM_THE_START = "iteration after the start"


@dataclass(frozen=True)
class PaperSchedule:
    """The paper's schedule.

    Attributes
    ----------
    whole
        All levels from the largest down.
    run
        Those that a run goes through.
    """

    whole: tuple[float, ...]
    run: tuple[float, ...]

    @property
    def skipped(self) -> int:
        """Levels before the start."""
        return len(self.whole) - len(self.run)

    @property
    def fine(self) -> int:
        """Iterations below the contrast of tissue."""
        return sum(level < TISSUE for level in self.run[:-1])


@cache
def paper_schedule() -> PaperSchedule:
    """Compute the paper's schedule."""
    settings = preset("paper")
    return PaperSchedule(noise_schedule(replace(settings, start_time=1.0)), noise_schedule(settings))


def recorded_levels(recording: Recording) -> tuple[Doubles, Doubles]:
    """Give iterations and levels of all of a recorded run."""
    iterations, sigma = (recording.trace[:, COLUMNS.index(name)] for name in ("iteration", "sigma"))
    return iterations[sigma > 0], sigma[sigma > 0]


class ScheduleFigure(Figure):
    """Sigma against the iteration, on a logarithmic axis.

    Parameters
    ----------
    workbench
        Whose recorded run is marked.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench, _FROM_THE_START, "noise level σ", LogAxis(orientation="left"))
        colours = self.colours
        paper = paper_schedule()
        self._unused = self.plot.curve("#888888", "the paper's, not used", dashed=True)
        self._paper = self.plot.curve(colours[0], "the paper's run")
        self._default = self.plot.curve(colours[1], "default")
        self._recorded = self.plot.curve(colours[2], "the recorded run")
        self._unused.setData(np.arange(-paper.skipped, 1), paper.whole[: paper.skipped + 1])
        self._paper.setData(np.arange(len(paper.run)), paper.run)
        levels = noise_schedule(preset("default"))
        self._default.setData(np.arange(len(levels)), levels)
        self._mark = self.plot.plot([], [], pen=None, symbol="o", symbolSize=12, symbolPen=None, name="now")
        self._start = self.plot.plot([0], [paper.run[0]], pen=None, symbol="d", symbolSize=11, symbolPen=None)
        self._tissue = pg.InfiniteLine(
            np.log10(TISSUE),
            angle=0,
            pen=pg.mkPen("#888888", style=pg.QtCore.Qt.PenStyle.DotLine),
            label="contrast of tissue",
            labelOpts={"position": 0.12, "color": "#888888", "anchors": [(0, 1), (0, 1)]},
        )
        self.plot.addItem(self._tissue, ignoreBounds=True)
        self.listen((self.session.events.status, self.session.events.recording), self.draw)

    def draw(self) -> None:
        """Mark where the recorded run stands; without one, show the schedules alone."""
        paper, status, colours = paper_schedule(), self.session.status, self.colours
        recorded = self.session.recording
        recording = recorded is not None
        for curve, colour in zip((self._paper, self._default, self._recorded), colours, strict=False):
            curve.setPen(pg.mkPen(colour, width=2))
        self._tissue.label.setFont(self.plot.letters())
        self._start.setSymbolBrush(colours[0])
        self._mark.setSymbolBrush(colours[2])
        for item, seen in ((self._unused, not recording), (self._paper, not recording), (self._default, not recording)):
            item.setVisible(seen)
        self._start.setVisible(not recording)
        self._recorded.setVisible(recording)
        self._mark.setVisible(recording)
        if recorded is not None:
            iterations, levels = recorded_levels(recorded)
            self._recorded.setData(iterations, levels)
            self._mark.setData([status.iteration], [max(status.sigma, TISSUE / 1000)])
            self.plot.setLabel("bottom", "iteration")
            self.plot.setXRange(0, float(iterations.max()), padding=0.02)
            self.say(
                [
                    f'<span style="color:{colours[2]}">●</span> iteration {status.iteration}: '
                    f"<b>σ = {status.sigma:.3g}</b>",
                    self._quality(),
                ]
            )
        else:
            self.plot.setLabel("bottom", _FROM_THE_START)
            self.plot.setXRange(-paper.skipped, len(paper.run), padding=0.02)
            self.say(
                [
                    f'<span style="color:{colours[0]}">━</span> paper: {len(paper.run) - 1} of {len(paper.whole) - 1} '
                    f"levels, from <b>σ = {paper.run[0]:.3f}</b>; {paper.fine} of them below {TISSUE:g}",
                    f'<span style="color:{colours[1]}">━</span> default: {len(noise_schedule(preset("default"))) - 1}',
                ]
            )

    def _quality(self) -> str:
        now = self.session.status.iteration
        point = next((one for one in reversed(self.session.trace) if one.iteration <= now), None)
        return "" if point is None else f"PSNR <b>{point.psnr:.1f} dB</b>"
