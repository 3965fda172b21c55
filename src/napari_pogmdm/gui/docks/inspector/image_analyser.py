"""Applies models to the image in the background, rarely enough to leave the sampler its processor."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from qtpy.QtCore import QObject, QTimer, Signal

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import as_notice
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.inspector.input_image import InputImage, current_image, layer_image
from napari_pogmdm.gui.docks.inspector.model_view import ModelView
from napari_pogmdm.gui.docks.inspector.responses import Analysis, analyse, diffused

_PAUSE_MILLISECONDS = 80  # before asking, so that a slider that moves asks once
_PAUSE_IN_A_RUN_MILLISECONDS = 1000  # or longer, where models are slow to answer
_SHARE_OF_A_CORE = 0.1  # that asking may take from the sampler


@dataclass(frozen=True, eq=False)
class Question:
    """What the models are asked.

    Attributes
    ----------
    views
        The models.
    sigma
        Noise level to ask at.
    layer
        Name of the layer to look at; empty for the sampler's image, or what there is instead.
    add_noise
        Whether noise of that level is added to a clean image.
    """

    views: tuple[ModelView, ...]
    sigma: float
    layer: str
    add_noise: bool


class ImageAnalyser(QObject):
    """Asks the newest question a while after `ask_soon`.

    Parameters
    ----------
    dock
        Whose window and background are used.
    question
        Gives what is to be asked; ``None`` while nobody can see the answer.

    Attributes
    ----------
    input
        The image that was looked at last.
    answered
        Signal with the models that were asked, and an analysis or ``None`` for each.
    """

    answered = Signal(object, object)

    def __init__(self, dock: Dock, question: Callable[[], Question | None]) -> None:
        super().__init__(dock)
        self.input: InputImage | None = None
        self._workbench = dock.workbench
        self._question = question
        self._worker = dock.make_worker("pogmdm inspector")
        self._seconds = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._ask)

    @property
    def busy(self) -> bool:
        """Whether something is, or soon will be, asked."""
        return self._timer.isActive() or self._worker.busy

    def ask_soon(self) -> None:
        """Ask after a pause, which is longer while a run needs the processor."""
        if not self._timer.isActive():
            running = self._workbench.player.active or self._workbench.session.status.phase.busy
            spared = max(_PAUSE_IN_A_RUN_MILLISECONDS, int(1e3 * self._seconds / _SHARE_OF_A_CORE))
            self._timer.start(spared if running else _PAUSE_MILLISECONDS)

    def cancel(self) -> None:
        """Forget what is being asked."""
        self._worker.cancel()

    def _ask(self) -> None:
        question = self._question()
        if question is None:
            return
        try:
            self.input = self._find(question.layer)
        except InputError as error:
            self.input = None
            self._workbench.tell(as_notice(error, "inspector"))
        found, views, sigma = self.input, question.views, question.sigma
        if found is None:
            self.answered.emit(views, (None,) * len(views))
            return
        noise = sigma if question.add_noise and not found.noisy else 0.0

        def job(cancelled: Callable[[], bool]) -> tuple[tuple[Analysis, ...], float]:
            begun = time.thread_time()
            image = diffused(found.image, noise)
            return tuple(analyse(view.prior, image, sigma, cancelled) for view in views), time.thread_time() - begun

        def done(answer: tuple[tuple[Analysis, ...], float]) -> None:
            analyses, self._seconds = answer
            self.answered.emit(views, analyses)

        self._worker.submit("inspector", job, done)

    def _find(self, layer: str) -> InputImage | None:
        bench = self._workbench
        measurement = None if bench.player.active else bench.session.measurement
        scale = None if measurement is None else measurement.scale
        if not layer or layer not in bench.viewer.layers:
            return current_image(bench.session, bench.book, scale)
        return layer_image(bench.viewer.layers[layer], tuple(bench.viewer.dims.current_step), bench.book, scale)
