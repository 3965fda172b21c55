"""The Inspector: what a model knows, at any noise level, and what it makes of an image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from qtpy.QtCore import Qt, QTimer
from qtpy.QtGui import QResizeEvent, QShowEvent
from qtpy.QtWidgets import QFileDialog, QMenu

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import as_notice
from napari_pogmdm.gui.docks.base import Dock, with_more
from napari_pogmdm.gui.docks.inspector.filter_layers import PULL, RESPONSE, FilterLayers
from napari_pogmdm.gui.docks.inspector.image_analyser import ImageAnalyser, Question
from napari_pogmdm.gui.docks.inspector.model_view import ModelView, view_of
from napari_pogmdm.gui.docks.inspector.options_box import CHOSEN_MODEL, CURRENT_IMAGE, NOTHING, OptionsBox
from napari_pogmdm.gui.docks.inspector.pages.filters_page import FiltersPage
from napari_pogmdm.gui.docks.inspector.pages.page import Inspection, Save
from napari_pogmdm.gui.docks.inspector.pages.pixel_page import PixelPage
from napari_pogmdm.gui.docks.inspector.pages.potentials_page import PotentialsPage
from napari_pogmdm.gui.docks.inspector.pages.tabs import PageTabs
from napari_pogmdm.gui.docks.inspector.pages.time_page import TimePage
from napari_pogmdm.gui.docks.inspector.pixel import pixel_at, read_pixel
from napari_pogmdm.gui.docks.inspector.responses import Analysis
from napari_pogmdm.gui.layers.pixel_follower import PixelFollower
from napari_pogmdm.gui.layers.view import INSPECTOR
from napari_pogmdm.gui.widgets.plots import seen
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.weights import load_experts
from napari_pogmdm.runs.status import Phase

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.viewer import Viewer

_DRAW_MILLISECONDS = 100  # between two drawings: 24 plots of 5 curves cost 40 ms
_FOLLOW_MILLISECONDS = 200  # the same while a run goes on, which needs the processor
_SAME_SIGMA = 1e-9  # far less than the slider can show
_FILE_FILTER = "Picture (*.png);;Drawing (*.svg);;Numbers (*.csv)"


class InspectorDock(Dock):
    """Filters, potentials, time conditioning and single pixels of one model, or of two side by side."""

    heading = "Inspector"
    upright = False
    page = "inspector"
    view = INSPECTOR

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        self._viewer = self.workbench.viewer
        self._views: dict[str, ModelView] = {}
        self.options = OptionsBox()
        self.inspection = Inspection(sigma=self.options.sigma, zoomed=self.options.zoomed.isChecked())
        self.pages = (
            FiltersPage(self._viewer),
            PotentialsPage(self._viewer),
            TimePage(self._viewer),
            PixelPage(self._viewer),
        )
        self.tabs = PageTabs(self.pages, self.options)
        self.column.setContentsMargins(6, 3, 6, 3)
        self.column.addWidget(self.tabs, 1)
        self.layers = FilterLayers(self._viewer, self.workbench.book)
        self.follower = PixelFollower(self._viewer, self)
        self.analyser = ImageAnalyser(self, self._question)
        self._models = self.make_worker("pogmdm inspector models")
        self._draw_timer = QTimer(self)
        self._draw_timer.setSingleShot(True)
        self._draw_timer.timeout.connect(self.draw)
        self._connect()
        self._list_images()
        self._load_models()

    def _connect(self) -> None:
        self.tabs.turned.connect(self._draw_soon)
        for page in self.pages:
            page.chosen.connect(self._choose_filter)
        self.options.models_changed.connect(self._load_models)
        self.options.image_changed.connect(self.analyser.ask_soon)
        self.options.sigma_changed.connect(self._sigma_chosen)
        self.options.options_changed.connect(self._options_chosen)
        self.options.saving.clicked.connect(self._offer_saving)
        self.follower.moved.connect(self._read_pixel)
        self.analyser.answered.connect(self._analysed)
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
        self.at_end(self.follower.close)

    def draw(self) -> None:
        """Draw the shown page, if anybody can see it."""
        if not self.inspection.views or not seen(self):
            return
        page = self.tabs.shown
        page.draw(self.inspection)
        self.tabs.say(with_more(page.explanation(self.inspection), self.page))
        self.tabs.show_position()

    def showEvent(self, event: QShowEvent | None) -> None:  # noqa: N802 - Qt's name
        """Catch up with what happened while nobody looked."""
        super().showEvent(event)
        self.came_to_front()

    def came_to_front(self) -> None:
        """Draw, and have the image analysed."""
        self._draw_soon()
        self._ask_soon()

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 - Qt's name
        """Let the pages use the room there is."""
        super().resizeEvent(event)
        self.tabs.make_room(self.width())

    def _draw_soon(self, milliseconds: int = _DRAW_MILLISECONDS) -> None:
        if not self._draw_timer.isActive():
            self._draw_timer.start(milliseconds)

    def _offer_saving(self) -> None:
        button = self.options.saving
        menu = QMenu(button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for title, saver in self.tabs.shown.exports(self.inspection):
            menu.addAction(f"{title} ...", lambda title=title, saver=saver: self.save(title, saver))
        if menu.isEmpty():
            nothing = menu.addAction("nothing to save yet")
            assert nothing is not None
            nothing.setEnabled(False)
        menu.popup(button.mapToGlobal(button.rect().topLeft()))

    def save(self, title: str, saver: Save) -> None:
        """Ask for a file and save one of the page's plots there."""
        chosen, _ = QFileDialog.getSaveFileName(self, f"Save {title}", f"{title}.png", _FILE_FILTER)
        if not chosen:
            return
        try:
            saver(Path(chosen))
        except (InputError, OSError) as error:
            self.workbench.tell(as_notice(error, Path(chosen).name))

    # models

    def _prior_changed(self) -> None:
        if self.options.model.currentText() == CHOSEN_MODEL:
            self._load_models()

    def _load_models(self) -> None:
        names = [self.options.model.currentText(), self.options.beside.currentText()]
        chosen, known = self.session.prior, dict(self._views)
        own = chosen if isinstance(chosen, Prior) else None  # a network has nothing to inspect
        wanted = [name for name in names if name != NOTHING and not (name == CHOSEN_MODEL and own is None)]

        def job(cancelled: Callable[[], bool]) -> list[tuple[str, ModelView]]:
            return [(name, _view(name, own, known)) for name in wanted]

        self._models.submit("inspector", job, self._models_came)

    def _models_came(self, found: list[tuple[str, ModelView]]) -> None:
        self._views.update({name: view for name, view in found if name != CHOSEN_MODEL})
        views = tuple(view for _, view in found)
        nothing = (None,) * len(views)
        selected = self.inspection.selected
        if selected is not None and (selected[0] >= len(views) or selected[1] >= views[selected[0]].count):
            selected = None
        self.inspection = replace(self.inspection, views=views, analyses=nothing, pixels=nothing, selected=selected)
        self.analyser.cancel()
        if not views:
            self.tabs.say("No model with filters is chosen; choose one here or in the Model dock.")
        self._draw_soon()
        self._ask_soon()

    # noise level and options

    @property
    def _moving(self) -> bool:
        """Whether a run, live or recorded, is shown."""
        return self.workbench.player.active or self.session.status.phase not in {Phase.IDLE, Phase.PREPARING}

    def _sigma_chosen(self) -> None:
        if self._moving:
            self.options.follow.setChecked(False)
        self._set_sigma(self.options.sigma, 0)

    def _set_sigma(self, sigma: float, milliseconds: int) -> None:
        self.inspection = replace(self.inspection, sigma=sigma)
        self._draw_soon(milliseconds)
        self._ask_soon()

    def _status_changed(self) -> None:
        sigma = self.session.status.sigma
        if not self.options.follow.isChecked() or not self._moving:
            return
        if abs(sigma - self.inspection.sigma) > _SAME_SIGMA:
            self.options.set_sigma(sigma)
            self._set_sigma(sigma, _FOLLOW_MILLISECONDS)

    def _options_chosen(self) -> None:
        boxes = self.options
        self.inspection = replace(
            self.inspection,
            slopes=boxes.slopes.isChecked(),
            counted=boxes.counted.isChecked(),
            zoomed=boxes.zoomed.isChecked(),
        )
        self._status_changed()
        self._draw_soon()

    # the image

    def _list_images(self) -> None:
        self.options.set_images([layer.name for layer in self._viewer.layers if self._askable(layer)])

    def _askable(self, layer: Layer) -> bool:
        role = self.workbench.book.role_of(layer)
        names_of_ours = {self.workbench.book.style(ours).name for ours in (RESPONSE, PULL)}
        return layer._type_string == "image" and role not in (RESPONSE, PULL) and layer.name not in names_of_ours

    def _ask_soon(self) -> None:
        self.analyser.ask_soon()

    def _question(self) -> Question | None:
        if not self.inspection.views or not seen(self):
            return None
        chosen = self.options.image.currentText()
        layer = "" if chosen == CURRENT_IMAGE else chosen
        return Question(self.inspection.views, self.inspection.sigma, layer, self.options.diffuse.isChecked())

    def _analysed(self, views: tuple[ModelView, ...], analyses: tuple[Analysis | None, ...]) -> None:
        if views is not self.inspection.views:
            return  # other models were chosen while these were asked
        self.inspection = replace(self.inspection, analyses=analyses, pixels=(None,) * len(analyses))
        if self.layers.shown:
            self._show_filter()
        self._read_pixel()
        self._draw_soon()

    @property
    def _image_layer(self) -> Layer | None:
        found = self.analyser.input
        return None if found is None else found.layer

    def _choose_filter(self, model: int, number: int) -> None:
        self.inspection = replace(self.inspection, selected=(model, number))
        self.layers.ask()
        self._show_filter()
        image = [] if self._image_layer is None else [self._image_layer]
        self.workbench.canvas.present(INSPECTOR, [*image, RESPONSE, PULL])
        self._draw_soon(0)

    def _show_filter(self) -> None:
        if self.inspection.selected is None:
            return
        model, number = self.inspection.selected
        analysis = self.inspection.analyses[model] if model < len(self.inspection.analyses) else None
        if analysis is not None:
            self.layers.show(analysis, number, self._image_layer)

    def _read_pixel(self) -> None:
        """Read every model at the pixel under the mouse, or at the kept one."""
        pixel, layer = self._pixel(), self._image_layer
        pixels = tuple(
            None if pixel is None or analysis is None else read_pixel(analysis, *pixel)
            for analysis in self.inspection.analyses
        )
        self.inspection = replace(self.inspection, pixels=pixels)
        marked = None
        if self.follower.kept and pixel is not None and layer is not None:
            marked = layer.data_to_world((0,) * (layer.ndim - 2) + pixel)[-2:]
        self.workbench.frame.mark(marked)
        self._draw_soon(0)

    def _pixel(self) -> tuple[int, int] | None:
        position, found = self.follower.position, self.analyser.input
        if position is None or found is None or found.layer is None or not seen(self):
            return None
        layer = found.layer
        self.follower.near = float(max(layer.scale[-2:]))
        coordinates = layer.world_to_data(position[-layer.ndim :])
        return pixel_at(tuple(coordinates), (found.image.shape[0], found.image.shape[1]))


def _view(name: str, own: Prior | None, known: dict[str, ModelView]) -> ModelView:
    if name == CHOSEN_MODEL and own is not None:
        return view_of(own)
    return known[name] if name in known else view_of(load_experts(name, "The Inspector"))
