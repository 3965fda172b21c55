"""How fast the Inspector answers: from moving the noise slider, or the mouse, to painted curves.

Prints JSON. Needs a display: ``tools/with_display.sh python benchmarks/inspector.py``. The window has the size of a
small laptop's screen, and the Inspector lies at its bottom, 230 pixels high.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable

import napari
import numpy as np
from qtpy.QtCore import QEvent, QObject, Qt
from qtpy.QtWidgets import QApplication

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.inspector.dock import InspectorDock
from napari_pogmdm.gui.docks.inspector.responses import analyse
from napari_pogmdm.prior.weights import load_prior

POTENTIALS = 1
REPEATS = 25


class Paints(QObject):
    """Counts how often a widget was painted."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Paint:
            self.count += 1
        return False


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.perf_counter() + seconds
    while not condition():
        QApplication.processEvents()
        if time.perf_counter() > end:
            raise TimeoutError("the window did not get there")


def figures(times: list[float]) -> dict[str, float]:
    values = 1e3 * np.array(times)
    found = {"best_ms": values.min(), "median_ms": np.median(values), "worst_ms": values.max()}
    return {name: round(float(value), 1) for name, value in found.items()}


def open_dock(bench: Workbench, model: str) -> InspectorDock:
    viewer = bench.viewer
    dock = InspectorDock(viewer)
    shell = viewer.window.add_dock_widget(dock, area="bottom", name="Inspector")
    viewer.window._qt_window.resizeDocks([shell], [230], Qt.Orientation.Vertical)
    bench.loader.load_model(model)
    until(lambda: bench.session.prior is not None and dock.inspection.views and dock.inspection.views[0].name == model)
    dock.tabs.bar.setCurrentIndex(POTENTIALS)
    until(lambda: all(dock.inspection.analyses) and len(dock.pages[POTENTIALS].potentials[0].current))
    return dock


def slide(dock: InspectorDock) -> list[float]:
    """Move the slider tick by tick; a time ends when every visible panel shows the new level and was painted."""
    panels = [panel for panel in dock.pages[POTENTIALS].potentials if panel.isVisible()]
    counters = [Paints() for _ in panels]
    for panel, counter in zip(panels, counters, strict=True):
        panel.installEventFilter(counter)
    times = []
    for step in range(REPEATS):
        until(lambda: not dock.analyser.busy and not dock._draw_timer.isActive())
        before = [counter.count for counter in counters]
        begun = time.perf_counter()
        dock.options.slider.setValue(100 + 5 * step)
        sigma = dock.options.sigma
        until(
            lambda sigma=sigma, before=before: all(
                panel.sigma == sigma and counter.count > count
                for panel, counter, count in zip(panels, counters, before, strict=True)
            )
        )
        times.append(time.perf_counter() - begun)
    return times


def busy(dock: InspectorDock) -> list[float]:
    """Processor time of the window's thread for the same, which other programs disturb less; painted into a picture."""
    panel, times = dock.pages[POTENTIALS].potentials[0], []
    for step in range(REPEATS):
        until(lambda: not dock.analyser.busy and not dock._draw_timer.isActive())
        begun = time.thread_time()
        dock.options.slider.setValue(102 + 5 * step)
        dock.draw()
        panel.grab()
        times.append(time.thread_time() - begun)
    return times


def main() -> None:
    viewer = napari.Viewer(show=True)
    viewer.window.resize(1366, 768)
    bench = Workbench.of(viewer)
    bench.loader.open("demo")
    until(lambda: bench.session.measurement is not None)
    dock = open_dock(bench, "flf-tc")
    panel = dock.pages[POTENTIALS].potentials[0]
    results: dict[str, object] = {"machine": platform.machine(), "panel": [panel.width(), panel.height()]}
    results["slider_to_20_painted_potentials"] = figures(slide(dock))
    results["of_which_the_windows_thread_computes"] = figures(busy(dock))
    dock.options.beside.setCurrentText("flf")
    until(lambda: len(dock.inspection.views) == 2 and all(dock.inspection.analyses))
    until(
        lambda: dock.pages[POTENTIALS].potentials[1].isVisible() and len(dock.pages[POTENTIALS].potentials[1].current)
    )
    results["slider_to_two_models"] = figures(slide(dock))
    dock.options.beside.setCurrentText("nothing")
    until(lambda: len(dock.inspection.views) == 1 and all(dock.inspection.analyses))
    painting = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        panel.grab()
        painting.append(time.perf_counter() - begun)
    results["painting_alone"] = figures(painting)
    image = np.random.default_rng(0).random((320, 320), dtype=np.float32)
    for name in ("flf-tc", "sh-2"):
        prior, times = load_prior(name), []
        for _ in range(4):
            begun = time.perf_counter()
            analyse(prior, image, 0.1)
            times.append(time.perf_counter() - begun)
        results[f"analysis_320x320_in_the_background_{name}"] = figures(times[1:])
    viewer.close()
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
