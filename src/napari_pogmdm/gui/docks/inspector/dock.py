"""The Inspector: what a model knows, at any noise level, and what it makes of an image."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qtpy.QtCore import Qt, QTimer
from qtpy.QtWidgets import QFileDialog, QMenu, QWidget

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.core.notices import as_notice
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.inspector.controls import CHOSEN_MODEL, CURRENT_IMAGE, NOTHING, Controls
from napari_pogmdm.gui.docks.inspector.filter_layers import PULL, RESPONSE, FilterLayers
from napari_pogmdm.gui.docks.inspector.filter_pages import FiltersPage, PotentialsPage
from napari_pogmdm.gui.docks.inspector.input_image import Picture, current_picture, layer_picture
from napari_pogmdm.gui.docks.inspector.model_view import ModelView, view_of
from napari_pogmdm.gui.docks.inspector.page import Save, Subject
from napari_pogmdm.gui.docks.inspector.pixel import pixel_at, probe
from napari_pogmdm.gui.docks.inspector.pixel_follower import PixelWatch
from napari_pogmdm.gui.docks.inspector.pixel_marker import ProbeMark
from napari_pogmdm.gui.docks.inspector.pixel_page import PixelPage
from napari_pogmdm.gui.docks.inspector.responses import Analysis, analyse, diffused
from napari_pogmdm.gui.docks.inspector.tabs import PageBook
from napari_pogmdm.gui.docks.inspector.time_page import TimePage
from napari_pogmdm.gui.widgets.plots import seen
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.runs.status import Phase

if TYPE_CHECKING:
    from napari.viewer import Viewer

_LINK = "#3d8bfd"  # Qt's own link colour cannot be read on a dark background
_DRAW_MILLISECONDS = 100
_FOLLOW_MILLISECONDS = 200
_ASK_MILLISECONDS = 80
_ASK_MILLISECONDS_IN_A_RUN = 1000
_SHARE_OF_A_CORE = 0.1  # that asking may take from the sampler
_PATTERNS = "Picture (*.png);;Drawing (*.svg);;Numbers (*.csv)"


class InspectorDock(Dock):
    """Filters, potentials, time conditioning and single pixels of one model, or of two side by side."""

    heading = "Inspector"
    page = "inspector"

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        self._viewer = self.workbench.viewer
        self._picture: Picture | None = None
        self._seconds = 0.0
        self._views: dict[str, ModelView] = {}
        self.controls = Controls()
        self.subject = Subject(level=self.controls.level)
        self.pages = (
            FiltersPage(self._viewer),
            PotentialsPage(self._viewer),
            TimePage(self._viewer),
            PixelPage(self._viewer),
        )
        self.book = PageBook(self.pages, self.controls)
        self.column.setContentsMargins(6, 3, 6, 3)
        self.column.addWidget(self.book, 1)
        self.layers = FilterLayers(self._viewer, self.workbench.book)
        self.mark = ProbeMark(self._viewer)
        self.watch = PixelWatch(self._viewer, self)
        self._models = self.make_worker("pogmdm inspector models")
        self._asking = self.make_worker("pogmdm inspector")
        self._draw_timer = _single_shot(self, self.draw)
        self._ask_timer = _single_shot(self, self._ask)
        self._connect()
        self._list_images()
        self._load_models()

    def draw(self) -> None:
        """Draw the shown page, if anybody can see it."""
        if not self.subject.views or not seen(self):
            return
        page = self.book.shown
        page.draw(self.subject)
        self.book.say(f'{page.explanation(self.subject)} <a style="color:{_LINK}" href="{self.page}">More …</a>')
        self.book.show_position()

    def save(self, title: str, saver: Save) -> None:
        """Ask for a file and save one of the page's pictures there."""
        chosen, _ = QFileDialog.getSaveFileName(self, f"Save {title}", f"{title}.png", _PATTERNS)
        if not chosen:
            return
        try:
            saver(Path(chosen))
        except (InputError, OSError) as error:
            self.workbench.tell(as_notice(error, Path(chosen).name))

    def showEvent(self, event: Any) -> None:  # noqa: N802
        """Catch up with what happened while nobody looked."""
        super().showEvent(event)
        self.came_to_front()

    def came_to_front(self) -> None:
        """Draw, and have the image analysed."""
        self._draw_soon()
        self._ask_soon()

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """Let the pages use the room there is."""
        super().resizeEvent(event)
        self.book.make_room(self.width())

    def _connect(self) -> None:
        self.book.turned.connect(self._draw_soon)
        for page in self.pages:
            page.chosen.connect(self._chose_filter)
        self.controls.models_changed.connect(self._load_models)
        self.controls.image_changed.connect(self._ask_soon)
        self.controls.level_changed.connect(self._level_chosen)
        self.controls.options_changed.connect(self._options_chosen)
        self.controls.saving.clicked.connect(self._offer_saving)
        self.watch.moved.connect(self._probe)
        events, layers = self.session.events, self._viewer.layers.events
        for signal, slot in (
            (events.prior, self._prior_changed),
            (events.status, self._status_changed),
            (events.frame, self._ask_soon),
            (events.reference, self._ask_soon),
            (events.measurement, self._ask_soon),
            (layers.inserted, self._list_images),
            (layers.removed, self._list_images),
            (self._viewer.dims.events.current_step, self._ask_soon),
        ):
            self.listen(signal, slot)
        self.at_end(self.watch.close)

    def _offer_saving(self) -> None:
        button = self.controls.saving
        menu = QMenu(button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for title, saver in self.book.shown.exports(self.subject):
            menu.addAction(f"{title} ...", lambda title=title, saver=saver: self.save(title, saver))
        if menu.isEmpty():
            menu.addAction("nothing to save yet").setEnabled(False)
        menu.popup(button.mapToGlobal(button.rect().topLeft()))

    def _draw_soon(self, milliseconds: int = _DRAW_MILLISECONDS) -> None:
        if not self._draw_timer.isActive():
            self._draw_timer.start(milliseconds)

    @property
    def _moving(self) -> bool:
        """Whether a run, live or recorded, is shown."""
        return self.workbench.player.active or self.session.status.phase not in {Phase.IDLE, Phase.PREPARING}

    # models

    def _prior_changed(self) -> None:
        if self.controls.model.currentText() == CHOSEN_MODEL:
            self._load_models()

    def _load_models(self) -> None:
        names = [self.controls.model.currentText(), self.controls.beside.currentText()]
        own, known = self.session.prior, dict(self._views)
        wanted = [name for name in names if name != NOTHING and not (name == CHOSEN_MODEL and own is None)]

        def job(cancelled: Callable[[], bool]) -> list[tuple[str, ModelView]]:
            return [(name, _view(name, own, known)) for name in wanted]

        self._models.submit("inspector", job, self._models_came)

    def _models_came(self, found: list[tuple[str, ModelView]]) -> None:
        self._views.update({name: view for name, view in found if name != CHOSEN_MODEL})
        views = tuple(view for _, view in found)
        nothing = (None,) * len(views)
        selected = self.subject.selected
        if selected is not None and (selected[0] >= len(views) or selected[1] >= views[selected[0]].count):
            selected = None
        self.subject = replace(self.subject, views=views, analyses=nothing, probes=nothing, selected=selected)
        self._asking.cancel()
        if not views:
            self.book.say("No model is chosen; choose one here or in the Model dock.")
        self._draw_soon()
        self._ask_soon()

    # noise level and options

    def _level_chosen(self) -> None:
        if self._moving:
            self.controls.follow.setChecked(False)
        self._set_level(self.controls.level, 0)

    def _set_level(self, level: float, milliseconds: int) -> None:
        self.subject = replace(self.subject, level=level)
        self._draw_soon(milliseconds)
        self._ask_soon()

    def _status_changed(self) -> None:
        status = self.session.status
        if not self.controls.follow.isChecked() or not self._moving:
            return
        if abs(status.sigma - self.subject.level) > 1e-9:
            self.controls.set_level(status.sigma)
            self._set_level(status.sigma, _FOLLOW_MILLISECONDS)

    def _options_chosen(self) -> None:
        boxes = self.controls
        self.subject = replace(
            self.subject,
            slopes=boxes.slopes.isChecked(),
            counted=boxes.counted.isChecked(),
            zoomed=boxes.zoomed.isChecked(),
        )
        self._status_changed()
        self._draw_soon()

    # the image

    def _list_images(self) -> None:
        self.controls.set_images([layer.name for layer in self._viewer.layers if self._askable(layer)])

    def _askable(self, layer: Any) -> bool:
        role = self.workbench.book.role_of(layer)
        names_of_ours = {self.workbench.book.style(ours).name for ours in (RESPONSE, PULL)}
        return layer._type_string == "image" and role not in (RESPONSE, PULL) and layer.name not in names_of_ours

    def _ask_soon(self) -> None:
        if not self._ask_timer.isActive():
            spared = max(_ASK_MILLISECONDS_IN_A_RUN, int(1e3 * self._seconds / _SHARE_OF_A_CORE))
            spare = self.workbench.player.active or self.session.status.phase.busy
            self._ask_timer.start(spared if spare else _ASK_MILLISECONDS)

    def _ask(self) -> None:
        """Have the models look at the image in the background, if anybody can see it."""
        if not self.subject.views or not seen(self):
            return
        try:
            self._picture = self._choose_picture()
        except InputError as error:
            self._picture = None
            self.workbench.tell(as_notice(error, "inspector"))
        picture, level, views = self._picture, self.subject.level, self.subject.views
        if picture is None:
            self._analysed(views, [None] * len(views))
            return
        noise = level if self.controls.diffuse.isChecked() and not picture.noisy else 0.0

        def job(cancelled: Callable[[], bool]) -> tuple[list[Analysis | None], float]:
            begun = time.thread_time()
            image = diffused(picture.image, noise)
            return [analyse(view.prior, image, level, cancelled) for view in views], time.thread_time() - begun

        def done(found: tuple[list[Analysis | None], float]) -> None:
            analyses, self._seconds = found
            self._analysed(views, analyses)

        self._asking.submit("inspector", job, done)

    def _choose_picture(self) -> Picture | None:
        name = self.controls.image.currentText()
        measurement = None if self.workbench.player.active else self.session.measurement
        scale = None if measurement is None else measurement.scale
        if name == CURRENT_IMAGE or name not in self._viewer.layers:
            return current_picture(self.session, self.workbench.book, scale)
        step = tuple(self._viewer.dims.current_step)
        return layer_picture(self._viewer.layers[name], step, self.workbench.book, scale)

    def _analysed(self, views: tuple[ModelView, ...], analyses: list[Analysis | None]) -> None:
        if views is not self.subject.views:  # other models were chosen while these were asked
            return
        self.subject = replace(self.subject, analyses=tuple(analyses), probes=(None,) * len(analyses))
        if self.layers.shown:
            self._show_filter()
        self._probe()
        self._draw_soon()

    # filters and pixels

    def _chose_filter(self, model: int, number: int) -> None:
        self.subject = replace(self.subject, selected=(model, number))
        self.layers.ask()
        self._show_filter()
        self._draw_soon(0)

    def _show_filter(self) -> None:
        if self.subject.selected is None:
            return
        model, number = self.subject.selected
        analysis = self.subject.analyses[model] if model < len(self.subject.analyses) else None
        if analysis is not None:
            self.layers.show(analysis, number, None if self._picture is None else self._picture.layer)

    def _probe(self) -> None:
        """Read every model at the pixel under the mouse, or at the kept one."""
        pixel = self._pixel()
        probes = tuple(
            None if pixel is None or analysis is None else probe(analysis, *pixel) for analysis in self.subject.analyses
        )
        self.subject = replace(self.subject, probes=probes)
        layer = None if self._picture is None else self._picture.layer
        if self.watch.kept and pixel is not None and layer is not None:
            self.mark.show(pixel, layer)
        else:
            self.mark.hide()
        self._draw_soon(0)

    def _pixel(self) -> tuple[int, int] | None:
        position, picture = self.watch.position, self._picture
        if position is None or picture is None or picture.layer is None or not seen(self):
            return None
        layer = picture.layer
        self.watch.near = float(max(layer.scale[-2:]))
        coordinates = layer.world_to_data(position[-layer.ndim :])
        return pixel_at(tuple(coordinates), (picture.image.shape[0], picture.image.shape[1]))


def _view(name: str, own: Prior | None, known: dict[str, ModelView]) -> ModelView:
    if name == CHOSEN_MODEL and own is not None:
        return view_of(own)
    return known[name] if name in known else view_of(load_prior(name))


def _single_shot(parent: QWidget, action: Callable[[], None]) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.timeout.connect(action)
    return timer
