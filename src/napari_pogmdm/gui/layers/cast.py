"""Which layers a view shows: those of its roles, and those that the user or other plugins added in it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.view import SWIPE, Arrangement, View

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.viewer import Viewer


class Cast:
    """Finds the layers of views.

    Parameters
    ----------
    viewer, book
        Where they are, and who knows those of roles.
    """

    def __init__(self, viewer: Viewer, book: LayerBook) -> None:
        self._viewer = viewer
        self._book = book
        self._adopted: dict[Layer, str] = {}

    def adopt(self, layer: Layer, name: str) -> None:
        """Let a layer be seen in one view only, upon its panels."""
        self._adopted[layer] = name

    def forget(self, layer: Layer) -> None:
        """Let go of a layer that is no more."""
        self._adopted.pop(layer, None)

    def layers(self, view: View, group: Collection[str | Layer] | None = None) -> list[Layer]:
        """Give the layers of a view's panels, or of those in a group, as far as they are there."""
        wanted = [panel for panel in view.chosen if group is None or panel in group]
        return [layer for panel in wanted if (layer := self._layer(panel)) is not None]

    def panels(self, view: View) -> list[Layer]:
        """Give the layers that are seen as panels, in order; one in front, or two in one place, are one panel."""
        found = self.layers(view)
        wiped = self._layer(SWIPE) if view.arrangement is Arrangement.SWIPE else None
        if wiped is not None:
            return [wiped]
        if view.arrangement is Arrangement.ONE and found:
            front = None if view.front is None else self._layer(view.front)
            found = [front if front is not None and front in found else found[0]]
        return found + [layer for layer in self.guests(view) if layer not in self._adopted]

    def guests(self, view: View) -> list[Layer]:
        """Give layers that are not the book's and are seen in a view beside its panels."""
        found = []
        for layer in self._viewer.layers:
            if self._book.role_of(layer) is not None or layer in view.chosen:
                continue
            home = self._adopted.get(layer)
            if home == view.name or (home is None and view.guests.get(layer, view.welcoming)):
                found.append(layer)
        return found

    def _layer(self, panel: str | Layer) -> Layer | None:
        found = self._book.get(panel) if isinstance(panel, str) else panel
        return found if found is not None and found in self._viewer.layers else None
