"""How soon a view is seen after it was asked for: a click on the bar above the canvas until the picture is painted.

Opens a real window of 1600 x 1000 (tools/with_display.sh python benchmarks/views.py where there is no display) on a
simulated scan of 8 coils, 320 x 320, makes a short run, goes through all views that have something to show, in both
arrangements, and prints JSON: milliseconds on the clock, and those that the window's thread computed, which is what to
read on a busy machine. The first visit of a view, which makes its layers, is told apart.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from typing import Any

import numpy as np
from window import live, open_window, until

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.layers.view import Arrangement
from napari_pogmdm.runs.status import Phase

ROUNDS = 6
ITERATIONS = 8  # of the run whose pictures are switched between


class Painted:
    """Counts what the canvas has painted."""

    def __init__(self, bench: Workbench) -> None:
        self.count = 0
        bench.viewer.window._qt_viewer.canvas.native.frameSwapped.connect(self._one_more)

    def _one_more(self) -> None:
        self.count += 1


def switch(bench: Workbench, painted: Painted, name: str) -> tuple[float, float]:
    """Seconds until a view is painted, on the clock and by the time that the window's thread computed."""
    before, begun, computed = painted.count, time.perf_counter(), time.thread_time()
    bench.frame.bar.tabs.setCurrentIndex(list(bench.canvas.views).index(name))
    until(lambda: bench.canvas.shown == name and painted.count > before, 20)
    return time.perf_counter() - begun, time.thread_time() - computed


def summary(times: list[tuple[float, float]]) -> dict[str, float]:
    clock, computed = (1e3 * np.array(part) for part in zip(*times, strict=True))
    return {
        "median_ms": round(float(np.median(clock)), 1),
        "largest_ms": round(float(clock.max()), 1),
        "median_computed_ms": round(float(np.median(computed)), 1),
        "largest_computed_ms": round(float(computed.max()), 1),
    }


def main() -> None:
    bench, dock = open_window((320, 320), 8)
    bench.session.settings = replace(bench.session.settings, iterations=ITERATIONS)
    painted = Painted(bench)
    bench.book.ask("error")
    dock.buttons.run.click()
    until(lambda: bench.session.status.phase is Phase.FINISHED)
    live(0.5)
    report: dict[str, Any] = {"load": os.getloadavg()[0]}
    first: dict[str, tuple[float, float]] = {}
    again: dict[str, list[tuple[float, float]]] = {}
    for turn in range(ROUNDS):
        for name in bench.canvas.views:
            if not bench.canvas.available(name) or name == bench.canvas.shown:
                continue
            took = switch(bench, painted, name)
            live(0.3)
            if turn:
                again.setdefault(name, []).append(took)
            else:
                first[name] = took
        bench.canvas.arrange_as(Arrangement.GRID if turn % 2 else Arrangement.ONE)
        live(0.3)
    report["first_visit"] = {name: summary([took]) for name, took in first.items()}
    report["again"] = {name: summary(times) for name, times in again.items()}
    report["all_again"] = summary([took for times in again.values() for took in times])
    print(json.dumps(report, indent=2))
    bench.close()
    bench.viewer.close()


if __name__ == "__main__":
    main()
