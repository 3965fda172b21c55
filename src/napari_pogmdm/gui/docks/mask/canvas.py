"""What the canvas shows while a mask is drawn: k-space, the point spread beside it, and no finished run above them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from napari_pogmdm.runs.roles import LIVE_ROLES, Role

if TYPE_CHECKING:
    from napari.layers import Image, Layer

    from napari_pogmdm.gui.core.workbench import Workbench

_BESIDE = (Role.KSPACE, Role.POINT_SPREAD)


class DrawingCanvas:
    """Shows what drawing needs, and afterwards what was shown before.

    Parameters
    ----------
    workbench
        Whose layers are shown.

    Attributes
    ----------
    close_up
        Whether k-space fills the canvas while drawing.
    """

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self.close_up = False
        self._shown_before: dict[Role, bool] = {}
        self._hidden: list[Image] = []

    @property
    def kspace(self) -> Image | None:
        """The layer to draw upon."""
        return self._workbench.book.get(Role.KSPACE)

    def holds(self, layer: Layer) -> bool:
        """Whether a layer is one of those that appear for drawing."""
        return self._workbench.book.role_of(layer) in _BESIDE

    def open(self) -> None:
        """Show k-space and the point spread, and hide the images of a run that rests: they would hide the mask's."""
        session, book = self._workbench.session, self._workbench.book
        self._workbench.grid.restore()
        self._shown_before = {role: _shown(book.get(role)) for role in _BESIDE}
        found = [book.get(role) for role in LIVE_ROLES]
        self._hidden = [] if session.status.phase.busy else [layer for layer in found if _shown(layer)]
        for layer in self._hidden:
            layer.visible = False
        self._workbench.views.ask(Role.KSPACE, True)
        book.ask(Role.POINT_SPREAD)
        if session.preview is not None:
            book.show(Role.POINT_SPREAD, session.preview.point_spread)

    def close(self) -> None:
        """Show what was shown before, and select the image."""
        book = self._workbench.book
        for role, before in self._shown_before.items():
            book.ask(role, before)
        self.show_run()
        image = book.get(Role.IMAGE) or book.get(Role.ZERO_FILLED)
        if image is not None:
            self._workbench.viewer.layers.selection.active = image

    def show_run(self) -> None:
        """Show the images of the run again: drawing has ended, or the run goes on."""
        hidden, self._hidden = self._hidden, []
        for layer in hidden:
            layer.visible = True

    def fit(self, *, drawing: bool) -> None:
        """Fit what matters now into the canvas: the image, and beside it k-space and point spread while drawing."""
        wanted: tuple[Role, ...] = (Role.ZERO_FILLED, Role.IMAGE)
        if drawing:
            wanted = (Role.KSPACE,) if self.close_up else (Role.ZERO_FILLED, *_BESIDE)
        layers = [layer for role in wanted if (layer := self._workbench.book.get(role)) is not None]
        if layers:
            self._workbench.camera.fit(layers)


def _shown(layer: Layer | None) -> bool:
    return layer is not None and bool(layer.visible)
