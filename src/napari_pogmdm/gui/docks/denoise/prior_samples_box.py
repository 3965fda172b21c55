"""The part of the Denoise dock that draws samples of the prior alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from qtpy.QtCore import QTimer
from qtpy.QtWidgets import QFormLayout, QGroupBox, QHBoxLayout, QLabel, QPushButton, QSpinBox, QVBoxLayout

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.mailbox import Mailbox
from napari_pogmdm.gui.background.notices import Notice, as_notice
from napari_pogmdm.gui.background.prior_cache import PriorCache
from napari_pogmdm.gui.docks.denoise.prior_samples import SampleFrame, draw_sample
from napari_pogmdm.gui.docks.quiet_bar import QuietBar
from napari_pogmdm.gui.layers.placement import Placement
from napari_pogmdm.gui.layers.style import Contrast, LayerStyle
from napari_pogmdm.gui.layers.view import DENOISE
from napari_pogmdm.recon.sampler.unconditional import PriorSampler, PriorSamplingSettings

if TYPE_CHECKING:
    from napari_pogmdm.gui.docks.base import Dock

_SAMPLE, _ESTIMATE = "prior sample", "prior sample estimate"
_STYLES = {
    _SAMPLE: LayerStyle("drawn by the prior, xₜ", contrast=Contrast.OWN),
    _ESTIMATE: LayerStyle("drawn by the prior, E[x₀|xₜ]", contrast=Contrast.OWN),
}
_TICK_MILLISECONDS = 60  # between two looks for a new frame; frames come every 80
_HALF_RANGE = 0.35  # of the contrast about the mean, of a brightest pixel of 1: a few times what samples vary
# least, most and usual
_SIDES = (16, 512, 128)  # pixels; more take minutes
_LEVELS = (1, 2000, 100)  # more take minutes, too
_SEEDS = (0, 999_999, 0)  # six digits are easy to say
_REMARK = (
    "Annealed Langevin dynamics on the prior alone: <i>x</i> ← <i>x</i> + <i>ε</i> ∇ log <i>p</i>(<i>x</i>, <i>t</i>) "
    "+ √(2<i>ε</i>) <i>ξ</i>. A product of local experts, eq. (16), knows edges and textures, not anatomy: expect "
    "patches of tissue, never a whole organ."
)


class PriorSamplesBox(QGroupBox):
    """Play, watch and cancel an unconditional sample.

    Parameters
    ----------
    dock
        Whose background and layers are used.
    priors
        Where models are loaded from.
    model
        Gives the name of the model.
    """

    def __init__(self, dock: Dock, priors: PriorCache, model: Callable[[], str]) -> None:
        super().__init__("What the prior draws by itself")
        self._workbench = dock.workbench
        self._priors = priors
        self._model = model
        self._book = dock.workbench.book
        for role, style in _STYLES.items():
            self._book.add_style(role, style)
        self._worker = dock.make_worker("pogmdm drawing", self._failed)
        self._mail: Mailbox[SampleFrame] = Mailbox()
        self._last: SampleFrame | None = None
        self._mean = 0.0
        self.side = _number(_SIDES, "Rows and columns of the image", " px")
        self.levels = _number(_LEVELS, "Noise levels from sigma = 0.5 down to 0.01, five Langevin steps at each")
        self.seed = _number(_SEEDS, "The same seed draws the same image")
        self.play = QPushButton("&Draw")
        self.play.setToolTip("Start from pure noise and watch; press again to stop and keep the image")
        self.back = QPushButton("&Back")
        self.back.setToolTip("Leave the sample and show the layers that were visible before")
        self.back.setEnabled(False)
        self.progress = QuietBar()
        self.progress.setFormat("")
        self.remark = QLabel(_REMARK)
        self.remark.setWordWrap(True)
        self._lay_out()
        self.play.clicked.connect(self._pressed)
        self.back.clicked.connect(lambda: self._workbench.canvas.back(DENOISE))
        dock.listen(self._workbench.canvas.arranged, self._view_changed)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._look)
        self._timer.setInterval(_TICK_MILLISECONDS)

    @property
    def busy(self) -> bool:
        """Whether a sample is being drawn."""
        return self._timer.isActive()

    def owns(self, layer: object) -> bool:
        """Whether a layer is one of this box."""
        return self._book.role_of(layer) in _STYLES

    def owns_role(self, role: object) -> bool:
        """Whether a panel of a view is one of this box."""
        return role in _STYLES

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.addRow("Si&ze", self.side)
        form.addRow("&Levels", self.levels)
        form.addRow("Seed", self.seed)
        row = QHBoxLayout()
        row.addWidget(self.play)
        row.addWidget(self.back)
        row.addWidget(self.progress, 1)
        column = QVBoxLayout(self)
        column.addWidget(self.remark)
        column.addLayout(form)
        column.addLayout(row)

    def _pressed(self) -> None:
        if self.busy:
            self._stop()
            return
        try:
            settings = PriorSamplingSettings(
                rows=self.side.value(), columns=self.side.value(), levels=self.levels.value()
            )
        except InputError as error:
            self._workbench.tell(as_notice(error, "drawing"))
            return
        self._book.welcome_back(*_STYLES)
        self._mean, self._last = settings.mean, None
        mail, source, seed, priors = Mailbox[SampleFrame](), self._model(), self.seed.value(), self._priors
        self._mail = mail

        def job(cancelled: Callable[[], bool]) -> SampleFrame:
            return draw_sample(PriorSampler(priors(source), settings, seed), cancelled, mail.put)

        self._worker.submit("drawing", job, self._finished)
        self.play.setText("&Cancel")
        self.progress.setRange(0, settings.levels * settings.corrections)
        self.progress.setValue(0)
        self._timer.start()

    def _view_changed(self) -> None:
        canvas = self._workbench.canvas
        self.back.setEnabled(canvas.shown == DENOISE and _SAMPLE in canvas.view.chosen)

    def _look(self) -> None:
        """Show the newest picture, if there is one."""
        frame = self._mail.take()
        if frame is not None:
            self._show(frame)

    def _show(self, frame: SampleFrame) -> None:
        self._last = frame
        before = self._book.layers(_STYLES)
        limits = (self._mean - _HALF_RANGE, self._mean + _HALF_RANGE)
        self._book.show(_SAMPLE, frame.sample, limits=limits, placement=Placement())
        self._book.show(_ESTIMATE, frame.estimate, limits=limits, placement=Placement())
        if frame.step == 0 or self._book.layers(_STYLES) != before:
            self._workbench.canvas.present(DENOISE, tuple(_STYLES), linked=(tuple(_STYLES),))
        self.progress.setValue(frame.step)
        self.progress.setFormat(f"sigma {frame.sigma:.3f}, step {frame.step} of {frame.steps}")

    def _finished(self, last: SampleFrame) -> None:
        self._show(last)
        self._settle()

    def _stop(self) -> None:
        self._worker.cancel()
        self._look()
        self._settle()
        if self._last is not None:
            self.progress.setFormat(f"stopped at step {self._last.step} of {self._last.steps}")

    def _failed(self, notice: Notice) -> None:
        self._settle()
        self._workbench.tell(notice)

    def _settle(self) -> None:
        self._timer.stop()
        self._mail = Mailbox()
        self.play.setText("&Draw")


def _number(bounds: tuple[int, int, int], tip: str, suffix: str = "") -> QSpinBox:
    low, high, usual = bounds
    box = QSpinBox()
    box.setRange(low, high)
    box.setValue(usual)
    box.setSuffix(suffix)
    box.setToolTip(tip)
    return box
