"""Chosen layers side by side: napari's linked grid, with one contrast and a name in every cell, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from napari.experimental import link_layers, unlink_layers
from psygnal import Signal

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.viewer import Viewer

_SPACING = 4  # pixels between two cells, enough to tell images with dark edges apart
_NAME_SIZES = (5.5, 9.0)  # points: the smallest that can be read, and the largest that does not draw the eye
_LETTER = 1.08  # pixels that a letter is wide, on average, for every point of its size


class GridView:
    """The grid of one viewer, which docks borrow one after the other.

    While it is borrowed, the other layers are hidden; giving it back shows what was visible before. napari's own grid
    button gives it back as well. Cells are linked: they share the camera, so all show the same piece of the image.

    Parameters
    ----------
    viewer
        Whose canvas it is.

    Attributes
    ----------
    owner
        Who borrows the grid; empty when nobody does.
    changed
        Tells of every new owner.
    """

    changed = Signal(str)

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self.owner = ""
        self._visible: dict[Layer, bool] = {}
        self._named: dict[Layer, bool] = {}
        self._before: dict[str, object] = {}
        self._links: list[list[Layer]] = []
        self._ours = False
        viewer.canvas.grid.events.enabled.connect(self._switched)

    def show(
        self, owner: str, layers: Sequence[Layer], columns: int = -1, linked: Sequence[Sequence[Layer]] = ()
    ) -> None:
        """Show these layers alone, in this order from the top left.

        Parameters
        ----------
        owner
            Who borrows the grid.
        layers
            What is shown; those that are not in the viewer are left out.
        columns
            Of the grid; -1 leaves the shape to napari.
        linked
            Groups of images that keep one contrast: changing it in one changes it in all of the group.
        """
        viewer = self._viewer
        chosen = [layer for layer in layers if layer in viewer.layers]
        if not chosen:
            return
        self._remember(chosen)
        self._ours = True
        try:
            viewer.canvas.grid.enabled = False  # or every change below would rebuild all cells
            for place, layer in enumerate(chosen):
                here = viewer.layers.index(layer)
                if here != place:  # the order of the list is the order of the cells
                    viewer.layers.move(here, place)
            for layer in viewer.layers:
                layer.visible = layer in chosen
            grid = viewer.canvas.grid
            grid.stride = 1
            grid.shape = (-1, columns)
            grid.spacing = _SPACING
            grid.enabled = True
        finally:
            self._ours = False
        # napari cannot fit flat layers alone while there are deeper ones, hidden or not
        viewer.fit_to_view(layers=chosen[:1] if chosen[0].ndim == viewer.dims.ndim else None)
        self._name_cells(chosen)
        self._unlink()
        self._hand_to(owner)
        self._link(linked)

    def restore(self, owner: str | None = None) -> None:
        """Give the grid back, if it is this owner's; layers that were visible before are so again."""
        if not self.owner or owner not in {None, self.owner}:
            return
        self._ours = True
        try:
            for name, value in self._before.items():
                setattr(self._viewer.canvas.grid, name, value)
        finally:
            self._ours = False
        for layer, visible in self._visible.items():
            layer.visible = visible
        for layer, named in self._named.items():
            layer.name_overlay.visible = named
        self._visible, self._named, self._before = {}, {}, {}
        self._unlink()
        self._hand_to("")

    def close(self) -> None:
        """Stop listening to the viewer."""
        self._viewer.canvas.grid.events.enabled.disconnect(self._switched)

    def _remember(self, chosen: Sequence[Layer]) -> None:
        if not self._before:
            grid = self._viewer.canvas.grid
            self._before = {name: getattr(grid, name) for name in ("enabled", "stride", "shape", "spacing")}
        for layer in self._viewer.layers:
            self._visible.setdefault(layer, bool(layer.visible))
        for layer in chosen:
            self._named.setdefault(layer, bool(layer.name_overlay.visible))

    def _name_cells(self, chosen: Sequence[Layer]) -> None:
        """Write every layer's name into its cell, in the largest letters that let the longest name fit."""
        width = float(self._viewer.canvas.viewbox_size(self._viewer.layers)[1])
        longest = max(len(layer.name) for layer in chosen)
        smallest, largest = _NAME_SIZES
        size = min(largest, max(smallest, width / (_LETTER * longest)))
        for layer in chosen:
            layer.name_overlay.font_size = size
            layer.name_overlay.visible = True

    def _link(self, groups: Sequence[Sequence[Layer]]) -> None:
        for group in groups:
            if len(group) > 1:
                for layer in group[1:]:
                    layer.contrast_limits = group[0].contrast_limits
                link_layers(group, ("contrast_limits",))
                self._links.append(list(group))

    def _unlink(self) -> None:
        for group in self._links:
            unlink_layers(group, ("contrast_limits",))
        self._links = []

    def _switched(self) -> None:
        if not self._ours and self.owner and not self._viewer.canvas.grid.enabled:
            self.restore()

    def _hand_to(self, owner: str) -> None:
        if owner != self.owner:
            self.owner = owner
            self.changed.emit(owner)
