"""How fast a recorded run opens and scrubs in the real window; prints JSON.

    tools/with_display.sh .venv/bin/python benchmarks/recordings.py

The bundled recording of 224 x 224 pixels is opened in a window that has shown a layer before, until its first frame is
painted; then the slider is moved from frame to frame with four layers visible, each move waiting until it is painted.
"""

from __future__ import annotations

import json
import os
import time

import napari
import numpy as np
from qtpy.QtWidgets import QApplication

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.recordings.dock import RecordingsDock
from napari_pogmdm.runs.recording_reader import demo_recording

SHOWN = ("image", "tweedie", "error", "zero-filled")
ROUNDS = 3


def main() -> None:
    viewer = napari.Viewer(show=True)
    viewer.window.resize(1366, 768)
    bench = Workbench.of(viewer)
    dock = RecordingsDock(viewer)
    viewer.window.add_dock_widget(dock, name="Recordings", area="right")
    viewer.add_image(np.zeros((8, 8)), name="warm")
    _live_for(1.0)
    opened = [_open(bench, dock) for _ in range(ROUNDS)]
    for role in SHOWN:
        bench.book.ask(role)
    viewer.canvas.grid.enabled = True
    _until(lambda: all(bench.book.get(role) is not None for role in SHOWN))
    _live_for(1.0)
    visible = [layer.name for layer in viewer.layers if layer.visible and layer.name != "warm"]
    spans = np.array([span for _ in range(ROUNDS) for span in _scrub(bench, dock)])
    figures = {
        "open": {
            "first_seconds": round(opened[0][0], 3),
            "again_seconds": round(min(span for span, _ in opened[1:]), 3),
            "first_processor_seconds": round(opened[0][1], 3),
        },
        "scrub": {
            "visible_layers": visible,
            "shape": list(bench.book.get("image").data.shape),
            "frames_per_second": {
                "median": round(1 / float(np.median(spans[:, 0])), 1),
                "best_tenth": round(1 / float(np.percentile(spans[:, 0], 10)), 1),
            },
            "processor_milliseconds_per_frame": {
                "in_all": round(1000 * float(np.median(spans[:, 1])), 1),
                "before_painting": round(1000 * float(np.median(spans[:, 2])), 1),
                "painting_an_unchanged_canvas": round(1000 * float(np.median(spans[:, 3])), 1),
            },
            "load_of_the_machine": round(os.getloadavg()[0], 1),
        },
        "file_megabytes": round(demo_recording().stat().st_size / 1e6, 2),
    }
    print(json.dumps(figures, indent=2))
    bench.close()
    viewer.close()


def _open(bench: Workbench, dock: RecordingsDock) -> tuple[float, float]:
    """Wall and processor seconds until the first frame is painted."""
    bench.session.recording = None
    QApplication.processEvents()
    begun, busy = time.perf_counter(), time.process_time()
    dock.demo_button.click()
    _until(lambda: bench.session.recording is not None)
    QApplication.processEvents()
    span = time.perf_counter() - begun, time.process_time() - busy
    _live_for(1.0)
    return span


def _scrub(bench: Workbench, dock: RecordingsDock) -> list[tuple[float, float, float, float]]:
    """Of each move: wall and processor seconds, those before painting, and those of painting the same picture again."""
    painted = []
    canvas = bench.viewer.window._qt_viewer.canvas._scene_canvas
    canvas.events.draw.connect(painted.append)
    spans = []
    for index in range(1, len(bench.session.recording)):
        painted.clear()
        begun, busy = time.perf_counter(), time.process_time()
        dock.player.slider.setValue(index)
        own = time.process_time() - busy
        _until_painted(painted)
        spans.append((time.perf_counter() - begun, time.process_time() - busy, own, _idle_repaint(canvas, painted)))
    canvas.events.draw.disconnect(painted.append)
    return spans


def _until_painted(painted: list[object]) -> None:
    while not painted:
        QApplication.processEvents()


def _idle_repaint(canvas, painted: list[object]) -> float:
    QApplication.processEvents()
    painted.clear()
    busy = time.process_time()
    canvas.update()
    _until_painted(painted)
    return time.process_time() - busy


def _until(condition) -> None:
    while not condition():
        QApplication.processEvents()
        time.sleep(0.001)


def _live_for(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        QApplication.processEvents()
        time.sleep(0.005)


if __name__ == "__main__":
    main()
