"""Bars of PSNR of every chain and of their mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.tour.figures.bars import Bar, BarFigure
from napari_pogmdm.gui.docks.tour.numbers import spread
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.runs.status import TracePoint


def last_of_chains(trace: Sequence[TracePoint]) -> list[float]:
    """PSNR of every chain at its newest point."""
    newest = {point.chain: point.psnr for point in trace if math.isfinite(point.psnr)}
    return [newest[chain] for chain in sorted(newest)]


class ChainsFigure(BarFigure):
    """A bar a chain; one more for the mean, once all are done.

    Parameters
    ----------
    workbench
        Whose chains are looked at.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.earlier: list[tuple[str, float]] = []
        events = self.session.events
        self.listen((events.trace, events.result, events.status), self.draw)

    def forget(self) -> None:
        """Forget the spreads of an earlier lesson."""
        self.earlier = []

    def draw(self) -> None:
        """Draw the chains as far as they are."""
        session = self.session
        bars = [Bar(f"chain {number}", value) for number, value in enumerate(last_of_chains(session.trace), 1)]
        result, reference = session.result, session.reference
        words = ["one bar a chain; the mean comes when all are done"]
        if result is not None and result.variance is not None and reference is not None and session.chains > 1:
            mean = metrics(reference, result.image).psnr
            singles = [bar.value for bar in bars]
            bars.append(Bar("their mean", mean, 1))
            gain = mean - sum(singles) / max(len(singles), 1)
            found = spread(result.variance, result.image)
            words = [f"the mean is <b>{gain:+z.1f} dB</b> above the chains on average", *self._spreads(found)]
        self.draw_bars(bars)
        self.say(words)

    def _spreads(self, found: float) -> list[str]:
        """Say how much chains differ, here and at the accelerations before."""
        mask = self.session.mask
        label = "" if mask is None else f"R {mask.acceleration:.1f}"
        self.earlier = [one for one in self.earlier if one[0] != label] + [(label, found)]
        return ["they differ by " + ", ".join(f"<b>{value:.1f} %</b> at {name}" for name, value in self.earlier)]
