"""A chosen filter as layers: its response, and its part of the score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from napari_pogmdm.arrays import Singles
from napari_pogmdm.gui.docks.inspector.responses import Analysis
from napari_pogmdm.gui.layers.placement import Placement
from napari_pogmdm.gui.layers.style import Contrast, LayerStyle

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.viewer import Viewer

    from napari_pogmdm.gui.layers.book import LayerBook

RESPONSE = "filter response"
PULL = "filter pull"
_LIMIT_PERCENTILE = 99.5  # of the magnitudes; a few extreme pixels would darken all others
_FAINTEST = 1e-6  # limit of the contrast where everything is zero


class FilterLayers:
    """Shows the response K_k x and the contribution -K_k^T phi_k(K_k x), both on scales symmetric about zero.

    Parameters
    ----------
    viewer, book
        Where the layers are shown, and who makes them.
    """

    def __init__(self, viewer: Viewer, book: LayerBook) -> None:
        self._viewer = viewer
        self._book = book
        book.add_style(RESPONSE, LayerStyle("response of a filter", "RdBu_r", Contrast.OWN, visible=True))
        book.add_style(PULL, LayerStyle("part of the score", "PiYG", Contrast.OWN))

    def ask(self) -> None:
        """Bring the layers back if the user deleted them."""
        self._book.welcome_back(RESPONSE, PULL)

    @property
    def shown(self) -> bool:
        """Whether any of the layers is there."""
        return self._book.get(RESPONSE) is not None or self._book.get(PULL) is not None

    def show(self, analysis: Analysis, k: int, over: Layer | None) -> None:
        """Show one filter, lying over the layer of the image if that is known."""
        model, active = analysis.prior.name, self._viewer.layers.selection.active
        self._show_one(RESPONSE, analysis.responses[k], f"response of filter {k + 1} ({model})", over)
        self._show_one(PULL, analysis.pulls[k], f"part of the score by filter {k + 1} ({model})", over)
        if active is not None and self._viewer.layers.selection.active is not active:
            self._viewer.layers.selection.active = active  # new layers take the selection

    def _show_one(self, role: str, data: Singles, name: str, over: Layer | None) -> None:
        place = None
        if over is not None and over.data.shape[-2:] == data.shape:
            place = Placement(tuple(over.scale[-2:]), tuple(over.translate[-2:]), tuple(map(str, over.units[-2:])))
        layer = self._book.show(role, data, placement=place)
        if layer is None:
            return
        limit = float(np.percentile(np.abs(data), _LIMIT_PERCENTILE)) or _FAINTEST
        layer.contrast_limits_range = (-2 * limit, 2 * limit)
        layer.contrast_limits = (-limit, limit)
        if layer.name != name:
            layer.name = name
