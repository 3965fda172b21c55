"""The Denoise dock: noise on any image, the way back to the clean one, and what the prior draws by itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from qtpy.QtCore import Qt
from qtpy.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QSpinBox,
    QWidget,
)
from superqt.utils import signals_blocked

from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.background.prior_cache import PriorCache
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.combo import Combo
from napari_pogmdm.gui.docks.denoise.denoising import (
    LARGEST_SIGMA,
    MOST_STEPS,
    CleanImage,
    Denoised,
    account,
    clean_image,
    decibel_text,
    denoise_noisy_copy,
    estimate_facts,
)
from napari_pogmdm.gui.docks.denoise.prior_samples_box import PriorSamplesBox
from napari_pogmdm.gui.docks.model_box import ModelBox
from napari_pogmdm.gui.layers.placement import Placement
from napari_pogmdm.gui.layers.style import Contrast, LayerStyle
from napari_pogmdm.gui.layers.view import DENOISE

if TYPE_CHECKING:
    from napari.layers import Image, Layer
    from napari.viewer import Viewer

_TICKS = 1000  # of the slider for a sigma of 1, as fine as the box beside it
_PAGE_TICKS = 50  # that Page Up moves
_LARGEST_SEED = 999_999  # six digits are easy to say
_NOISY, _ESTIMATE, _SCORE = "denoise noisy", "denoise estimate", "denoise score"
_STYLES = {
    _NOISY: LayerStyle("noisy xₜ", contrast=Contrast.OWN),
    _ESTIMATE: LayerStyle("denoised", contrast=Contrast.OWN),
    _SCORE: LayerStyle("score ∇ log p(xₜ, t)", "RdBu_r", Contrast.OWN),
}
_SIGMA_TIP = (
    "Noise level sigma: standard deviation of the added noise, where the brightest pixel is 1. The paper writes √(2t) "
    "for it, and ζ in the sampler."
)


@dataclass(frozen=True, eq=False)
class _Request:
    """What to denoise, and how."""

    layer: Image
    model: str
    sigma: float
    seed: int
    steps: int


class DenoiseDock(Dock):
    """Denoises a layer while its noise slider moves."""

    heading = "Denoise"
    page = "denoise"
    view = DENOISE
    explanation = (
        "<b>What is this?</b> Noise of standard deviation sigma (<i>σ</i>) is added to an image; one step "
        "of Tweedie's formula takes it away: <b>E</b>[<i>x</i><sub>0</sub> | <i>x<sub>t</sub></i>] = "
        "<i>x<sub>t</sub></i> + <i>σ</i>² ∇ log <i>p</i>(<i>x<sub>t</sub></i>, <i>t</i>). The gradient is the "
        "<i>score</i>: red pixels are pulled up, blue ones down."
    )
    equations = "eq. (9)"

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        self._viewer = self.workbench.viewer
        self._book = self.workbench.book
        for role, style in _STYLES.items():
            self._book.add_style(role, style)
        self._priors = PriorCache()
        self._worker = self.make_worker("pogmdm denoising", self._failed)
        self._working: _Request | None = None
        self._next: _Request | None = None
        self._arranged: list[Image] = []
        self._make_widgets()
        self._lay_out()
        self.samples = PriorSamplesBox(self, self._priors, lambda: self.model.source)
        self.column.addWidget(self.samples)
        self.column.addStretch(1)
        self._connect()
        self._list_images()
        priors, source = self._priors, self.model.source
        self._worker.submit("models", lambda cancelled: priors.warm_up(source), lambda done: None)

    def _make_widgets(self) -> None:
        self.image = Combo()
        self.image.setAccessibleName("Image layer")
        self.image.setToolTip("Any layer with one 2-D image; a copy is divided by its largest value")
        self.image.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.model = ModelBox(self.session)
        self.model.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, round(LARGEST_SIGMA * _TICKS))
        self.slider.setPageStep(_PAGE_TICKS)
        self.slider.setAccessibleName("Sigma")
        self.sigma = QDoubleSpinBox()
        self.sigma.setRange(0.0, LARGEST_SIGMA)
        self.sigma.setDecimals(3)
        self.sigma.setSingleStep(0.01)
        self.sigma.setAccessibleName("Sigma, as a number")
        for widget in (self.slider, self.sigma):
            widget.setToolTip(_SIGMA_TIP)
        self.seed = QSpinBox()
        self.seed.setRange(0, _LARGEST_SEED)
        self.seed.setToolTip("Seed of the noise: the same seed gives the same pattern at every level")
        self.steps = QSpinBox()
        self.steps.setRange(1, MOST_STEPS)
        self.steps.setToolTip("1 is Tweedie's formula; 8 leave less noise; beyond, hardly anything changes")
        self.side_by_side = QPushButton("&Side by side")
        self.side_by_side.setCheckable(True)
        self.side_by_side.setToolTip("Image, noisy image, estimate and score in a linked grid, and nothing else")
        self.answer = QLabel()
        self.answer.setWordWrap(True)
        self.answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def _lay_out(self) -> None:
        noise = QHBoxLayout()
        noise.addWidget(self.slider, 1)
        noise.addWidget(self.sigma)
        last = QHBoxLayout()
        last.addWidget(self.steps)
        last.addWidget(self.side_by_side, 1)
        form = QFormLayout()
        form.addRow("&Image", self.image)
        form.addRow("&Model", self.model)
        form.addRow(_label("Si&gma", self.slider), noise)
        form.addRow("S&eed", self.seed)
        form.addRow(_label("S&teps", self.steps), last)
        self.column.addLayout(form)
        self.column.addWidget(self.answer)

    def _connect(self) -> None:
        self.image.activated.connect(self._choose)
        self.slider.valueChanged.connect(lambda value: self.sigma.setValue(value / _TICKS))
        self.sigma.valueChanged.connect(self._noise_moved)
        for changed in (self.model.currentIndexChanged, self.seed.valueChanged, self.steps.valueChanged):
            changed.connect(self._refresh)
        self.side_by_side.clicked.connect(self._toggle_grid)
        for event in (self._viewer.layers.events.inserted, self._viewer.layers.events.removed):
            self.listen(event, self._list_images)
        self.listen(self.session.events.prior, self._follow_model)
        self.listen(self.workbench.canvas.arranged, self._view_changed)

    @property
    def chosen(self) -> Image | None:
        """The layer to denoise."""
        return self.image.currentData()

    @property
    def busy(self) -> bool:
        """Whether something is being denoised."""
        return self._working is not None

    def _list_images(self) -> None:
        """Offer the 2-D images of the viewer that are not this dock's own; keep the chosen one while it is there."""
        before = self.chosen
        layers = [layer for layer in self._viewer.layers if _is_flat_image(layer) and not self._is_mine(layer)]
        if [self.image.itemData(number) for number in range(self.image.count())] != layers:
            self.image.clear()
            for layer in layers:
                self.image.addItem(layer.name, layer)
            visible = next((layer for layer in reversed(layers) if layer.visible), None)
            wanted = before if before in layers else visible
            self.image.setCurrentIndex(layers.index(wanted) if wanted in layers else min(len(layers), 1) - 1)
        if self.chosen is None:
            self.answer.setText("There is no 2-D image to denoise; open a scan or drop an image on the window.")
        elif not self._arranged:
            self.answer.setText("Move the noise slider to begin.")

    def _is_mine(self, layer: Layer) -> bool:
        return self._book.role_of(layer) in _STYLES or self.samples.owns(layer)

    def _follow_model(self) -> None:
        asked = bool(self._arranged)  # before, nobody wanted anything to be denoised
        with nullcontext() if asked else signals_blocked(self.model):
            self.model.follow_session()

    def _choose(self) -> None:
        self._book.welcome_back(*_STYLES)
        self._refresh()

    def _noise_moved(self, sigma: float) -> None:
        with signals_blocked(self.slider):
            self.slider.setValue(round(sigma * _TICKS))
        self._refresh()

    def _refresh(self) -> None:
        """Denoise again: at once if nothing is under way, else after it, with the newest request."""
        layer = self.chosen
        if layer is None:
            return
        request = _Request(layer, self.model.source, self.sigma.value(), self.seed.value(), self.steps.value())
        if self._working is not None:
            self._next = request
            return
        self._working, self._next = request, None
        name, data, priors = layer.name, layer.data, self._priors

        def job(cancelled: Callable[[], bool]) -> tuple[CleanImage, Denoised]:
            clean = clean_image(name, np.asarray(data))
            return clean, denoise_noisy_copy(clean, priors(request.model), request.sigma, request.seed, request.steps)

        self._worker.submit(f"denoise {name}", job, self._arrived)

    def _arrived(self, result: tuple[CleanImage, Denoised]) -> None:
        clean, found = result
        request, self._working = self._working, None
        if request is None:
            return
        self._show(request, clean, found)
        if self._next is not None:
            self._refresh()

    def _failed(self, notice: Notice) -> None:
        self._working, self._next = None, None
        self.answer.setText(notice.text)
        self.workbench.tell(notice)

    def _show(self, request: _Request, clean: CleanImage, found: Denoised) -> None:
        if request.layer not in self._viewer.layers:
            return
        place = Placement.of(request.layer)
        low, high = (float(limit) / clean.largest for limit in request.layer.contrast_limits)
        self._book.state(_NOISY, decibel_text(found.psnr_before))
        self._book.state(_ESTIMATE, estimate_facts(found))
        self._book.show(_NOISY, found.noisy, limits=(low, high), placement=place)
        self._book.show(_ESTIMATE, found.estimate, limits=(low, high), placement=place)
        limit = found.score_limit
        self._book.show(_SCORE, found.score, limits=(-limit, limit), placement=place)
        self.answer.setText(account(clean, found))
        self.workbench.canvas.touch()  # for the titles
        wanted = [request.layer, *self._book.layers(_STYLES)]
        fresh = any(layer not in self._arranged for layer in wanted)
        if fresh or (request.sigma > 0 and not self._in_view):  # no noise is nothing to look at another view for
            self._arrange(wanted)

    def _arrange(self, layers: list[Image]) -> None:
        self._arranged = layers
        self.workbench.canvas.present(DENOISE, layers, linked=((_NOISY, _ESTIMATE),))

    def _toggle_grid(self, wanted: bool) -> None:
        if not wanted:
            self.workbench.canvas.back(DENOISE)
        elif self._arranged:
            self._book.welcome_back(*_STYLES)
            self._arranged = []
            self._refresh()
        else:
            self.side_by_side.setChecked(False)
            self.workbench.tell(
                Notice(NoticeKind.ERROR, "denoise: nothing was denoised yet; move the noise slider first.")
            )

    @property
    def _in_view(self) -> bool:
        """Whether what was denoised is seen, and not what the prior draws."""
        canvas = self.workbench.canvas
        return canvas.shown == DENOISE and not any(self.samples.owns_role(one) for one in canvas.view.chosen)

    def _view_changed(self) -> None:
        self.side_by_side.setChecked(self._in_view)


def _label(text: str, buddy: QWidget) -> QLabel:
    """Make a label whose underlined letter leads to a widget inside a row."""
    label = QLabel(text)
    label.setBuddy(buddy)
    return label


def _is_flat_image(layer: Layer) -> bool:
    from napari.layers import Image

    return isinstance(layer, Image) and layer.ndim == 2 and not layer.rgb and not layer.multiscale
