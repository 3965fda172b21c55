"""Takes the pictures of the window that the documents show: ``make screenshots``, or some of them by name.

Every scene opens a real window with a bundled scan, does what a person would do, and saves what is on the screen.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import napari
import numpy as np
from matplotlib import colormaps
from PIL import Image
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QApplication, QDockWidget

from napari_pogmdm.gui.arrangement import open_workbench, reveal
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.sampling.brush import Brush
from napari_pogmdm.gui.docks.sampling.drawing import Drawing
from napari_pogmdm.recon.defaults import DEFAULT_MODEL
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.runs.status import Phase

FOLDER = Path(__file__).parent.parent / "docs" / "images" / "window"
SIZE = (1366, 768)
LARGE = (1600, 1000)
"""Of windows with many panels, whose pictures would be small otherwise."""
_BAR_COLOURS, _BAR_ROWS = 48, 120  # of colour maps that the palette of a picture is to have, and their weight in it


class Stage:
    """A window with a bundled scan, ready to be played on."""

    def __init__(
        self, theme: str, scan: str = "demo", size: tuple[int, int] = SIZE, model: str = DEFAULT_MODEL.value
    ) -> None:
        self.viewer = napari.Viewer(title="napari-pogmdm")
        self.viewer.theme = theme
        self.viewer.window.resize(*size)
        self.bench: Workbench = open_workbench(self.viewer)
        self.bench.loader.open(scan)
        self.bench.loader.load_model(model)
        self.session = self.bench.session
        self.session.settings, self.session.chains = preset("default"), 1  # not those of the scene before
        self.wait(lambda: self.session.preview is not None)
        self.wait(lambda: self.session.prior is not None and self.session.prior.name == model)

    def wait(self, done: Callable[[], Any] | None = None, seconds: float = 300.0) -> None:
        """Let the window live until something holds; without a condition, for a moment."""
        end = time.monotonic() + (seconds if done is not None else 1.5)
        while time.monotonic() < end and not (done is not None and done()):
            QApplication.processEvents()
            time.sleep(0.005)
        if done is not None and not done():
            raise SystemExit("A scene did not get ready in time; is the machine very busy?")

    def dock(self, name: str) -> Any:
        """Bring a dock to the front and give it."""
        reveal(self.viewer, name)
        self.wait()
        docks = self.viewer.window._qt_window.findChildren(Dock)
        return next(dock for dock in docks if _title(dock) == name)

    def hide_lists(self) -> None:
        """Leave the room of napari's lists to the pictures."""
        for dock in self.viewer.window._qt_window.findChildren(QDockWidget):
            if self.viewer.window._qt_window.dockWidgetArea(dock) == Qt.DockWidgetArea.LeftDockWidgetArea:
                dock.hide()

    def run(self) -> None:
        """Run to the end."""
        self.bench.start(Phase.RUNNING)
        self.wait(lambda: self.session.status.phase is Phase.FINISHED)
        self.wait()

    def save(self, name: str) -> None:
        """Save what is on the screen."""
        self.wait()
        FOLDER.mkdir(parents=True, exist_ok=True)
        _write_small(self.viewer.screenshot(canvas_only=False, flash=False), FOLDER / f"{name}.png")
        self.bench.close()
        self.viewer.close()
        self.wait()


def _write_small(picture: Any, path: Path) -> None:
    """Save a picture with the 256 colours that suit it best: it stays in the repository for good.

    Colour bars are few pixels, but all of their colours have to be among the 256 where any of them are.
    """
    whole = picture[..., :3]
    steps = np.linspace(0, 1, _BAR_COLOURS)
    known = [np.round(255 * colormaps[name](steps)[:, :3]).astype(np.uint8) for name in ("inferno", "magma", "gray")]
    strip = np.resize(np.concatenate(known), (_BAR_ROWS, *whole.shape[1:]))
    palette = Image.fromarray(np.concatenate([whole, strip])).quantize(256, method=Image.Quantize.MEDIANCUT, kmeans=8)
    few = Image.fromarray(np.ascontiguousarray(whole)).quantize(palette=palette, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def _title(dock: Dock) -> str:
    """Read the words on the tab of a dock."""
    frame = dock.parentWidget()
    while frame is not None and not isinstance(frame, QDockWidget):
        frame = frame.parentWidget()
    return "" if frame is None else frame.windowTitle().split(" (")[0]


def start(name: str) -> None:
    """Show the workbench as it opens."""
    stage = Stage("dark")
    stage.save(name)


def drawn_mask(name: str) -> None:
    """Draw lines through the centre of k-space, beside the point spread and the zero-filled image."""
    stage = Stage("dark")
    dock = stage.dock("Sampling")
    dock.draw_button.click()
    stage.wait(lambda: dock.controller.layer.layer is not None)
    rows, columns = dock.controller.drawing.shape
    dock.controller.change(Drawing.clear)
    dock.controller.change(lambda drawing: drawing.fill_square(columns // 10))
    dock.controller.choose(Brush.LINE)
    for end in range(0, columns, columns // 24):
        _stroke(dock.controller, (0, end), (rows - 1, columns - 1 - end))
        _stroke(dock.controller, (end, 0), (rows - 1 - end, columns - 1))
    stage.wait()
    stage.save(name)


def radial_sampling(name: str) -> None:
    """Show the spokes of a real radial scan, their point spread, and the image that they make by themselves."""
    stage = Stage("dark", "radial-demo")
    stage.dock("Sampling")
    stage.save(name)


def radial_finished(name: str) -> None:
    """Show the reconstruction of the radial scan."""
    stage = Stage("dark", "radial-demo")
    stage.dock("Sampler")
    stage.run()
    stage.save(name)


def _stroke(controller: Any, begin: tuple[int, int], end: tuple[int, int]) -> None:
    controller.press(begin)
    controller.move(end)
    controller.lift()


def mid_run(name: str) -> None:
    """Pause the paper's own algorithm on its way, with what it shows side by side."""
    stage = Stage("dark", size=LARGE, model="flf-tc")
    stage.session.settings = replace(preset("paper"), coil_start="auto", renormalise=True)
    for role in ("tweedie", "error", "phase"):
        stage.bench.canvas.choose("Run", role)
    stage.dock("Sampler")
    stage.bench.start(Phase.RUNNING)
    stage.wait(lambda: stage.session.status.iteration >= 70)
    stage.bench.runner.pause()
    stage.wait(lambda: not stage.session.status.phase.busy)
    stage.save(name)


def finished(name: str, theme: str = "dark") -> None:
    """Show several samples of the posterior: their mean, its standard deviation, and the error."""
    stage = Stage(theme, size=LARGE)
    stage.hide_lists()
    stage.session.chains = 4
    stage.session.settings = preset("posterior")
    for role in ("mean", "deviation", "error"):
        stage.bench.canvas.choose("Run", role)
    stage.dock("Sampler")
    stage.run()
    stage.save(name)


def finished_light(name: str) -> None:
    """Show the same in napari's light theme."""
    finished(name, "light")


def inspector(name: str, model: str = "flf-tc", theme: str = "dark") -> None:
    """Look into a model: its potentials, a kept pixel marked on each, and the response of a filter."""
    stage = Stage(theme, model=model)
    dock = stage.dock("Inspector")
    stage.wait(
        lambda: dock.inspection.views and dock.inspection.views[0].name == model and all(dock.inspection.analyses)
    )
    dock.pages[0].chosen.emit(0, 0)
    reference = stage.bench.book.get("reference")
    dock.follower.position, dock.follower.kept = tuple(reference.data_to_world((112, 42))), True
    dock.follower.moved.emit()
    dock.tabs.bar.setCurrentIndex(1)
    stage.save(name)


def inspector_flf(name: str) -> None:
    """Look into the model with the heat rule, in napari's light theme."""
    inspector(name, "flf", "light")


def inspector_default(name: str) -> None:
    """Look into the model that reconstructions take unless told otherwise."""
    inspector(name, DEFAULT_MODEL.value)


def compare(name: str) -> None:
    """Compare methods on the same measurement, images above their errors."""
    stage = Stage("dark", size=LARGE)
    stage.hide_lists()
    stage.dock("Sampler")
    dock = stage.dock("Compare")
    dock.methods.run.click()
    stage.wait(lambda: not dock.busy)
    stage.save(name)


def pinned(name: str) -> None:
    """Hold two pinned runs of different masks against each other, one wiped over the other."""
    stage = Stage("dark")
    stage.session.settings = preset("fast")
    stage.dock("Sampler")
    for acceleration, centre in ((4.0, 0.08), (8.0, 0.04)):
        before, stage.session.mask_request = stage.session.mask_request, MaskRecipe("cartesian", acceleration, centre)
        if before != stage.session.mask_request:
            stage.wait(lambda: stage.session.measurement is None)
        stage.wait(lambda: stage.session.measurement is not None)
        stage.run()
        stage.bench.pins.pin_run()
    dock = stage.dock("Compare")
    dock.tables.setCurrentWidget(dock.pins_page)
    dock.pins_page.compare.click()
    stage.bench.hands.pair.swipe()
    stage.bench.hands.pair.move_border(0.52)
    stage.save(name)


def measured(name: str) -> None:
    """Read a line through image, zero-filled image and reference at once."""
    stage = Stage("dark")
    stage.session.settings = preset("fast")
    for role in ("zero-filled", "reference"):
        stage.bench.canvas.choose("Run", role)
    stage.dock("Sampler")
    stage.run()
    stage.bench.hands.measure.draw_line((84.0, 60.0), (84.0, 175.0))
    stage.save(name)


def tour(name: str) -> None:
    """Stand in the middle of the lesson that takes the paper's algorithm line by line."""
    stage = Stage("dark")
    dock = stage.dock("Tour")
    dock.choice.setCurrentIndex(4)
    for _ in range(5):
        dock.next_button.click()
        stage.wait()
        stage.wait(lambda: not stage.session.status.phase.busy)
    stage.save(name)


SCENES: dict[str, Callable[[str], None]] = {
    "start": start,
    "drawn-mask": drawn_mask,
    "radial-sampling": radial_sampling,
    "radial-finished": radial_finished,
    "mid-run": mid_run,
    "finished": finished,
    "finished-light": finished_light,
    "inspector-flf-tc": inspector,
    "inspector-flf": inspector_flf,
    "inspector-flf-tc-recon": inspector_default,
    "compare": compare,
    "pinned": pinned,
    "measured": measured,
    "tour": tour,
}


def main() -> None:
    """Take the pictures that were asked for, or all."""
    wanted = sys.argv[1:] or list(SCENES)
    unknown = [name for name in wanted if name not in SCENES]
    if unknown:
        raise SystemExit(f"There is no scene {unknown[0]!r}; choose from {', '.join(SCENES)}.")
    for name in wanted:
        SCENES[name](name)
        sys.stdout.write(f"{FOLDER / name}.png\n")


if __name__ == "__main__":
    main()
