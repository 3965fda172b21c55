"""The window as a program: opened from the terminal, or run to its end for a screenshot."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

from qtpy.QtCore import QObject, QTimer
from qtpy.QtGui import QGuiApplication

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file
from napari_pogmdm.gui.arrangement import open_workbench, reveal
from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.contributions.reader import open_path
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.reading import is_file
from napari_pogmdm.runs.status import Phase

if TYPE_CHECKING:
    from napari.viewer import Viewer

PICTURE_SIZE = (1366, 768)  # pixels of a small laptop's screen, on which everything must find room
_LARGEST_SIZE = (1680, 1020)  # pixels; beyond it images do not get clearer, but the way from dock to dock gets longer
_FRAME = (20, 60)  # pixels that a desktop's own frame and title take
_CHECK_MILLISECONDS = 50  # between two looks at whether the run is done
_SETTLE_MILLISECONDS = 500  # for plots and thumbnails that follow the last picture a moment later


def open_window(source: str, run: bool = False, screenshot: Path | None = None) -> None:
    """Open napari with the workbench and a scan, and stay until it is closed.

    Parameters
    ----------
    source
        A scan by path or by name; to look at, also a result or a recorded run.
    run
        Start the sampler as soon as everything is there.
    screenshot
        Save a picture of the window, of the finished run if there is one, and close it.

    Raises
    ------
    InputError
        If the scan cannot be opened or the run fails while a picture is waited for.
    """
    import napari

    viewer = napari.Viewer(title="napari-pogmdm")
    viewer.window.resize(*(_fitting_size() if screenshot is None else PICTURE_SIZE))
    workbench = open_workbench(viewer)
    task = _ScreenshotTask(workbench, run, screenshot) if run or screenshot is not None else None
    if task is None and is_file(source):
        open_path(workbench, Path(source))
    else:
        workbench.loader.open(source)
    gc.freeze()  # what is there now stays to the end; looking through it again and again would make the window stutter
    napari.run()
    gc.freeze()  # and leaving would take a second longer
    if task is not None and task.trouble:
        raise InputError(task.trouble)


def _fitting_size() -> tuple[int, int]:
    """Nearly fill a small screen, but not a large one."""
    screen = QGuiApplication.primaryScreen()
    if screen is None:
        return _LARGEST_SIZE
    room = screen.availableSize()
    return min(_LARGEST_SIZE[0], room.width() - _FRAME[0]), min(_LARGEST_SIZE[1], room.height() - _FRAME[1])


class _ScreenshotTask(QObject):
    """Waits for the measurement and the model, starts the run, waits for its end, takes the picture, and leaves."""

    def __init__(self, workbench: Workbench, run: bool, screenshot: Path | None) -> None:
        super().__init__(workbench)
        self.trouble = ""
        self._workbench = workbench
        self._run = run
        self._started = False
        self._screenshot = screenshot
        workbench.noticed.connect(self._noticed)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._check)
        self._timer.start(_CHECK_MILLISECONDS)

    def _check(self) -> None:
        session = self._workbench.session
        if session.preview is None or session.measurement is None or session.prior is None:
            return
        if self._run and not self._started:
            reveal(self._workbench.viewer, "Sampler")
            self._started = self._workbench.start(Phase.RUNNING)
        elif not self._run or session.status.phase is Phase.FINISHED:
            self._timer.stop()
            QTimer.singleShot(_SETTLE_MILLISECONDS, self._finish)

    def _finish(self) -> None:
        if self._screenshot is not None:
            try:
                save_screenshot(self._workbench.viewer, self._screenshot)
            except InputError as error:
                self.trouble = str(error)
            self._workbench.viewer.close()

    def _noticed(self, notice: Notice) -> None:
        """Give up a task that nobody watches; a window that stays shows its notices itself."""
        if notice.kind is not NoticeKind.INFORMATION and self._screenshot is not None and not self.trouble:
            self.trouble = notice.text
            self._timer.stop()
            QTimer.singleShot(0, self._workbench.viewer.close)


def save_screenshot(viewer: Viewer, path: Path) -> None:
    """Save a picture of the whole window as PNG."""
    from matplotlib.image import imsave

    picture = viewer.screenshot(canvas_only=False, flash=False)
    with whole_file(path) as stream:
        imsave(stream, picture, format="png")
