"""How soon the pictures follow the brush: from a stroke on the canvas to the new zero-filled image and point spread.

Opens a real window (run it with tools/with_display.sh where there is no display) on a simulated scan of 8 coils,
320 x 320, and prints JSON. Ratios are taken within one run: to a bare zero-filled transform, and its root sum of
squares, of the same samples.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable

import napari
import numpy as np
import torch
from qtpy.QtWidgets import QApplication
from scipy.fft import ifftn
from timing import best

from napari_pogmdm.data.acquisition import InMemoryScan
from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.gui.docks.sampling.brush import Brush
from napari_pogmdm.gui.docks.sampling.dock import SamplingDock
from napari_pogmdm.gui.docks.sampling.drawing import Drawing
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Let the window live until a condition holds."""
    end = time.perf_counter() + seconds
    while not condition():
        QApplication.processEvents()
        time.sleep(0.001)  # leave the processor to the background
        if time.perf_counter() > end:
            raise TimeoutError("the window did not answer")


def settle(seconds: float) -> None:
    end = time.perf_counter() + seconds
    until(lambda: time.perf_counter() > end)


def strokes(dock: SamplingDock, brush: Brush, count: int) -> list[tuple[float, float]]:
    """Milliseconds from the end of a stroke to its preview in the session and in the layers.

    By the clock, and by the time that the window's thread spent computing, which other programs do not lengthen.
    """
    controller, session = dock.controller, dock.session
    rows, columns = controller.drawing.shape
    generator = np.random.default_rng(0)
    arrived: list[tuple[float, float]] = []
    session.events.preview.connect(lambda: arrived.append((time.perf_counter(), time.thread_time())))
    times = []
    controller.choose(brush)
    for _ in range(count):
        cells = generator.integers(0, (rows, columns), size=(2, 2))
        settle(0.02)
        before = controller.drawing.samples
        begun, spent = time.perf_counter(), time.thread_time()
        controller.press(tuple(cells[0]))
        controller.move(tuple(cells[1]))
        controller.lift()
        after = controller.drawing.samples
        if np.array_equal(before, after):
            continue
        until(lambda after=after: np.array_equal(session.mask.samples, after) and session.measurement is not None)
        times.append((1e3 * (arrived[-1][0] - begun), 1e3 * (arrived[-1][1] - spent)))
        controller.change(Drawing.undo)
        until(lambda before=before: np.array_equal(session.mask.samples, before) and session.measurement is not None)
    return times


def previews_per_second(dock: SamplingDock, seconds: float) -> float:
    """How many pictures a stroke shows that never rests."""
    seen: list[float] = []
    dock.session.events.preview.connect(lambda: seen.append(time.perf_counter()))
    dock.controller.choose(Brush.POINT)
    begun = time.perf_counter()
    dock.controller.press((0, 0))
    while (passed := time.perf_counter() - begun) < seconds:
        place = 40 * passed
        dock.controller.move((int(160 + 4 * place * np.sin(place)) % 320, int(160 + 4 * place * np.cos(place)) % 320))
        QApplication.processEvents()
        time.sleep(0.004)
    dock.controller.lift()
    return len(seen) / seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--strokes", type=int, default=40)
    parser.add_argument("--size", type=int, default=320)
    parser.add_argument("--coils", type=int, default=8)
    options = parser.parse_args()
    scan = simulate_scan(shepp_logan((options.size, options.size)), coils=options.coils, noise=0.005, seed=1)
    viewer = napari.Viewer()
    viewer.window.resize(1366, 768)
    dock = SamplingDock(viewer)
    viewer.window.add_dock_widget(dock, name="Mask", area="right")
    session, loader = dock.session, dock.workbench.loader
    session.mask_request = MaskRecipe("cartesian")
    loader.take(InMemoryScan("benchmark", (scan,)))
    until(lambda: session.preview is not None)
    dock.draw_button.click()
    until(lambda: dock.controller.layer.layer is not None)
    settle(1.0)
    report: dict[str, object] = {
        "machine": {
            "threads": torch.get_num_threads(),
            "torch": torch.__version__,
            "python": platform.python_version(),
        },
        "scan": {"coils": scan.coils, "rows": scan.shape[0], "columns": scan.shape[1]},
    }
    for brush in Brush:
        times, spent = zip(*strokes(dock, brush, options.strokes), strict=True)
        report[f"stroke_to_preview_{brush.value}_ms"] = {
            "best": min(times),
            "median": statistics.median(times),
            "worst": max(times),
            "median_of_the_windows_thread": statistics.median(spent),
            "strokes": len(times),
        }
    bare = best(lambda: np.sqrt((np.abs(ifftn(scan.kspace, axes=(-2, -1))) ** 2).sum(axis=0)), repeats=30)
    line = report["stroke_to_preview_line_ms"]
    report["bare_zero_filled_ms"] = bare
    report["best_line_stroke_over_bare"] = line["best"] / bare
    report["previews_per_second_in_a_long_stroke"] = previews_per_second(dock, 3.0)
    print(json.dumps(report, indent=2))
    viewer.close()


if __name__ == "__main__":
    main()
