"""The layers that the plugin makes, by role: data are updated in place, and what the user deletes stays away."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.gui.layers.placement import Placement, in_column
from napari_pogmdm.gui.layers.style import STYLES, Contrast, LayerStyle, Limits
from napari_pogmdm.gui.layers.texture import show_new_values
from napari_pogmdm.runs.display import DisplayGeometry
from napari_pogmdm.runs.roles import Role

if TYPE_CHECKING:
    from napari.layers import Image, Layer
    from napari.utils.events import Event
    from napari.viewer import Viewer

_OF_THE_SCAN = {Role.REFERENCE, Role.ZERO_FILLED, Role.KSPACE, Role.POINT_SPREAD, Role.COIL_IMAGES}
"""Roles whose layers get new data with every scan, so that they need not be taken away before."""


class LayerBook:
    """Finds, makes and refreshes layers by role.

    A layer that the user deletes stays away until it is asked for again with `ask` or `welcome_back`.

    Parameters
    ----------
    viewer
        To which layers are added.

    Attributes
    ----------
    geometry
        Of the slice that is shown: decides where layers lie, and what is white.
    changed
        Called when a layer is deleted, shown or hidden by whomever.
    asked
        Called with a role and whether it shall be seen, when the user asks; whoever owns the canvas sets it.
    in_view
        Says whether a role has a place in what is seen, so that its layer is visible when it appears.
    making
        Whether a layer is being added, so that what happens to it is not the user's doing.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._styles = dict(STYLES)
        self._layers: dict[str, Image] = {}
        self._placements: dict[str, Placement] = {}
        self._dismissed: set[str] = set()
        self._ours = False
        self._gridded = True
        self._facts: dict[str, str] = {}
        self._remarks: dict[str, str] = {}
        self.making = False
        self.geometry = DisplayGeometry((1, 1), (1.0, 1.0), 1.0)
        self.changed: Callable[[], None] = lambda: None
        self.asked: Callable[[str, bool], None] = self._show_or_hide
        self.in_view: Callable[[str], bool] = lambda role: self._styles[role].visible
        viewer.layers.events.removed.connect(self._removed)

    def close(self) -> None:
        """Stop listening to the viewer."""
        self._viewer.layers.events.removed.disconnect(self._removed)

    def add_style(self, role: str, style: LayerStyle) -> None:
        """Make a role known."""
        self._styles[role] = style

    def restyle(self, role: str, style: LayerStyle, data: NDArray[np.floating]) -> None:
        """Show a role in another way from now on, and the layer that there is; it stays visible or hidden.

        Parameters
        ----------
        role
            What is shown.
        style
            In which way.
        data
            That will be shown next, and decide about limits which the style leaves open.
        """
        self._styles[role] = replace(style, visible=self._styles[role].visible)
        layer = self._layers.get(role)
        if layer is not None:
            layer.name, layer.colormap = style.name, style.colormap
            _reset_contrast(layer, self._limits(role, data))

    def style(self, role: str) -> LayerStyle:
        """Tell how a role is shown."""
        return self._styles[role]

    def get(self, role: str) -> Image | None:
        """Find the layer of a role."""
        return self._layers.get(role)

    def layers(self, roles: Iterable[str]) -> list[Image]:
        """Give the layers of roles, in this order, as far as they are there."""
        return [self._layers[role] for role in roles if role in self._layers]

    def role_of(self, layer: Layer | None) -> str | None:
        """Find the role of a layer."""
        return next((role for role, known in self._layers.items() if known is layer), None)

    def wants(self, role: str) -> bool:
        """Whether fresh data of a role would be seen: its layer is visible, or would be when it appeared."""
        layer = self._layers.get(role)
        if layer is not None:
            return bool(layer.visible)
        return role not in self._dismissed and self.in_view(role)

    def dismissed(self, role: str) -> bool:
        """Whether the user deleted the layer of a role and did not ask for it since."""
        return role in self._dismissed

    def ask(self, role: str, visible: bool = True) -> None:
        """Show or hide a role because the user asked; a deleted layer may come back."""
        self._dismissed.discard(role)
        self._styles[role] = replace(self._styles[role], visible=visible)
        self.asked(role, visible)
        self.changed()

    def welcome_back(self, *roles: str) -> None:
        """Let layers that the user deleted come with the next data."""
        self._dismissed.difference_update(roles)

    def set_geometry(self, geometry: DisplayGeometry) -> None:
        """Show another slice from now on: layers that do not fit it go, the others move to where they lie in it."""
        before, self.geometry = self.geometry, geometry
        if (before.whole, before.pixel) != (geometry.whole, geometry.pixel):
            for role in [role for role in self._layers if role not in _OF_THE_SCAN and role not in self._placements]:
                if self._layers[role].data.shape[-2:] != geometry.whole:
                    self.remove(role)
        for role, layer in self._layers.items():
            self._place(role, layer)
            if self._styles[role].contrast in {Contrast.INTENSITY, Contrast.ERROR, Contrast.DEVIATION}:
                _reset_contrast(layer, self._limits(role, layer.data))

    def show(
        self,
        role: str,
        data: NDArray[np.floating],
        *,
        thumbnail: bool = False,
        limits: Limits | None = None,
        placement: Placement | None = None,
    ) -> Image | None:
        """Show new data: in the layer's own buffer where it fits, else in a new layer; not if the user deleted it.

        Parameters
        ----------
        role
            Whose layer it is.
        data
            (rows, columns) or (coils, rows, columns).
        thumbnail
            Whether to draw the thumbnail in napari's list anew, which takes as long as the picture itself.
        limits
            The contrast to show them at, instead of the one that the role's style gives.
        placement
            Where they lie, such as upon another layer, instead of where the slice has them.
        """
        if placement is not None:
            self._placements[role] = placement
        layer = self._layers.get(role)
        if role in self._dismissed:
            return None
        if layer is not None and layer.data.shape == data.shape:
            np.copyto(layer.data, data)
            with self._viewer.layers.events.blocker():  # the list of layers would have the window painted once more
                if thumbnail or not show_new_values(self._viewer, layer):
                    layer.refresh(thumbnail=thumbnail, highlight=False, extent=False)
            self._adjust(role, layer, limits)
            return layer
        if layer is not None and layer.ndim == data.ndim:
            return self._renew(role, layer, data, limits)
        if layer is not None:
            self._styles[role] = replace(self._styles[role], visible=bool(layer.visible))
            self.remove(role)
        return self._make(role, data, limits)

    def remark(self, role: str, remark: str = "") -> None:
        """Put a remark after a layer's name, such as how far a run came, or take it away."""
        self._remarks[role] = remark
        layer = self._layers.get(role)
        name = f"{self._styles[role].name}, {remark}" if remark else self._styles[role].name
        if layer is not None and layer.name != name:
            layer.name = name

    def state(self, role: str, facts: str) -> None:
        """Say what a layer's title tells besides its name, such as method, acceleration and decibels."""
        self._facts[role] = facts

    def facts(self, role: str) -> str:
        """Give what `state` said of a role."""
        return self._facts.get(role, "")

    def title(self, role: str) -> tuple[str, str]:
        """Give the title of a panel, and what is to be heeded about it, such as that it belongs to an earlier mask."""
        facts, remark, layer = self.facts(role), self._remarks.get(role, ""), self._layers.get(role)
        name = self._styles[role].name if layer is None else layer.name.removesuffix(f", {remark}" if remark else "")
        return f"{name}, {facts}" if facts else name, remark

    def lay_out(self, *, gridded: bool) -> None:
        """Put all layers in one place, as a grid of linked views needs them, or beside each other."""
        if gridded != self._gridded:
            self._gridded = gridded
            for role, layer in self._layers.items():
                self._place(role, layer)

    def remove(self, role: str) -> None:
        """Take a layer away; it may come back with new data."""
        layer = self._layers.pop(role, None)
        if layer is not None and layer in self._viewer.layers:
            with self._our_doing():
                self._viewer.layers.remove(layer)

    def _show_or_hide(self, role: str, visible: bool) -> None:
        layer = self._layers.get(role)
        if layer is not None:
            layer.visible = visible

    def _adjust(self, role: str, layer: Image, limits: Limits | None) -> None:
        """Follow limits and a place that were given."""
        if role in self._placements and Placement.of(layer) != self._placements[role]:
            self._place(role, layer)
        if limits is not None and tuple(layer.contrast_limits) != limits:
            layer.contrast_limits = limits  # napari widens the slider where needed, and never narrows it in use

    def _renew(self, role: str, layer: Image, data: NDArray[np.floating], limits: Limits | None) -> Image:
        """Give a layer data of another size."""
        layer.data = np.array(data, dtype=np.float32)
        _reset_contrast(layer, limits or self._limits(role, data))
        self._place(role, layer)
        return layer

    def _make(self, role: str, data: NDArray[np.floating], limits: Limits | None) -> Image:
        from napari.layers import Image

        style = self._styles[role]
        layer = Image(
            np.array(data, dtype=np.float32),
            name=style.name,
            colormap=style.colormap,
            contrast_limits=limits or self._limits(role, data),
            metadata={"pogmdm role": str(role)},
        )
        self._place(role, layer)
        self._layers[role] = layer
        self.making = True
        self._viewer.add_layer(layer)
        above = self._layers.get(style.under)
        if above is not None:
            self._viewer.layers.move(self._viewer.layers.index(layer), self._viewer.layers.index(above))
            self._viewer.layers.selection.active = above
        layer.visible = self.in_view(role)  # only now: a layer that was never visible has a black thumbnail
        self.making = False
        layer.events.visible.connect(lambda: self.changed())
        return layer

    def _limits(self, role: str, data: NDArray[np.floating]) -> Limits:
        return self._styles[role].limits(data, self.geometry.white)

    def _place(self, role: str, layer: Image) -> None:
        given = self._placements.get(role)
        column = self._styles[role].column
        (given or in_column(self.geometry, layer.data.shape, column, gridded=self._gridded)).apply(layer)

    @contextmanager
    def _our_doing(self) -> Iterator[None]:
        self._ours = True
        try:
            yield
        finally:
            self._ours = False

    def _removed(self, event: Event) -> None:
        role = self.role_of(event.value)
        if role is None or self._ours:
            return
        del self._layers[role]
        self._dismissed.add(role)
        self.changed()


def _reset_contrast(layer: Image, limits: Limits) -> None:
    """Set limits for data on another scale: the slider spans them, however bright the data before were."""
    layer.contrast_limits_range = limits
    layer.contrast_limits = limits
