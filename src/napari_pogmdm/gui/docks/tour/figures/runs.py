"""All runs of a lesson as bars that stay, with what went wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.tour.figures.bars import Bar, BarFigure
from napari_pogmdm.runs.status import Phase

_FAILED = 3  # colour of a run that failed: red


@dataclass(frozen=True)
class RunTold:
    """One run of a lesson.

    Attributes
    ----------
    name
        Title of the step that began it.
    psnr
        Its newest, in decibels.
    residual
        Its newest, as a share of the data.
    trouble
        Why it failed; empty if it did not.
    """

    name: str
    psnr: float = math.nan
    residual: float = math.nan
    trouble: str = ""


class RunsFigure(BarFigure):
    """A bar for every run that the steps of a lesson began; failures stay, with their explanation.

    Parameters
    ----------
    workbench
        Whose runs are looked at.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.told: dict[str, RunTold] = {}
        self._run: tuple[object, str] = (None, "")
        events = self.session.events
        self.listen((events.trace, events.status), self.draw)
        workbench.noticed.connect(self._noticed)

    def forget(self) -> None:
        """Forget the runs of an earlier lesson."""
        self.told, self._run = {}, (None, "")

    def draw(self) -> None:
        """Bring the run of this step up to date, and draw all."""
        trace, status = self.session.trace, self.session.status
        live = bool(self.step) and self.session.recording is None and status.phase is not Phase.IDLE
        if live and trace:
            request = self.workbench.request
            if self._run[0] is not request:
                self._run = request, self.step
            name = self._run[1]  # a step that begins no run speaks of the one before
            known = self.told.get(name, RunTold(name))
            fresh = len(trace) == 1 and not status.phase.busy  # a run that begins anew has not failed yet
            self.told[name] = replace(
                known, psnr=trace[-1].psnr, residual=trace[-1].misfit, trouble="" if fresh else known.trouble
            )
        told = list(self.told.values())
        self.draw_bars([_bar(one) for one in told])
        troubles = [f"<b>{one.name}</b>: {one.trouble}" for one in told if one.trouble]
        self.say(troubles or ["one bar a run; they stay until the lesson ends"])

    def _noticed(self, notice: Notice) -> None:
        if notice.kind is NoticeKind.ERROR and self.step and self.session.status.phase is not Phase.IDLE:
            self.told[self.step] = replace(self.told.get(self.step, RunTold(self.step)), trouble=notice.text)
            self.draw()


def _bar(run: RunTold) -> Bar:
    if run.trouble:
        return Bar(f"{run.name}\nfailed", math.nan, _FAILED, "diverged")
    residual = f"residual {100 * run.residual:.1f}\u00a0%" if math.isfinite(run.residual) else ""
    return Bar(f"{run.name}\n{residual}", run.psnr)
