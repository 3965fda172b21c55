"""Compares two pictures of a view: in turn, one wiped over the other, or subtracted."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.gui.core.canvas import Canvas
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.placement import Placement
from napari_pogmdm.gui.layers.style import LayerStyle
from napari_pogmdm.gui.layers.view import DIFFERENCE, SWIPE, Arrangement

if TYPE_CHECKING:
    from napari.layers import Image

_DIFFERENCE_SHARE = 0.1  # of white at both ends of the scale of a difference
_MADE_OF_OTHERS = (DIFFERENCE, SWIPE)


class Pair:
    """Compares the first two flat grey images of the view that is seen.

    Parameters
    ----------
    canvas
        What is seen.
    book
        Knows the layers.

    Attributes
    ----------
    border
        Where one picture ends and the other begins in a swipe, as a share of their width.
    """

    def __init__(self, canvas: Canvas, book: LayerBook) -> None:
        self._canvas = canvas
        self._book = book
        self.border = 0.5
        self._wiped: tuple[str, str] | None = None
        canvas.arranged.connect(self.renew)

    @property
    def roles(self) -> tuple[str, str] | None:
        """Roles of the two; ``None`` where there are no two that have one size."""
        view = self._canvas.view
        flat = [panel for panel in view.chosen if isinstance(panel, str) and self._fits(panel)]
        if len(flat) < 2:
            return None
        sizes = {self._data(role).shape for role in flat[:2]}
        return (flat[0], flat[1]) if len(sizes) == 1 else None

    def flicker(self) -> None:
        """Show the next panel of the view alone, in the place of the one before: what differs jumps to the eye."""
        view = self._canvas.view
        turns = [panel for panel in view.chosen if panel not in _MADE_OF_OTHERS]
        if len(turns) < 2:
            return
        here = turns.index(view.front) if view.front in turns else -1
        view.front = turns[(here + 1) % len(turns)]
        self._canvas.arrange_as(Arrangement.ONE)

    def subtract(self) -> None:
        """Add the difference of the two to the view, or take it away."""
        view = self._canvas.view
        if DIFFERENCE in view.chosen:
            self._canvas.choose(view.name, DIFFERENCE, on=False)
            return
        if self.roles is None:
            return
        limit = _DIFFERENCE_SHARE * self._book.geometry.white
        self._book.add_style(DIFFERENCE, LayerStyle(DIFFERENCE, "RdBu_r", (-limit, limit), unit="%"))
        self._book.welcome_back(DIFFERENCE)
        view.chosen.append(DIFFERENCE)
        self.renew()
        self._canvas.arrange_as(Arrangement.GRID)

    def swipe(self) -> None:
        """Show one left and the other right of a border that follows the mouse, or side by side again."""
        if self._canvas.view.arrangement is Arrangement.SWIPE:
            self._canvas.arrange_as(Arrangement.GRID)
        elif self.roles is not None:
            self._book.add_style(SWIPE, LayerStyle(SWIPE))
            self._book.welcome_back(SWIPE)
            self._canvas.view.arrangement = Arrangement.SWIPE
            self.renew()
            self._canvas.arrange_as(Arrangement.SWIPE)

    def move_border(self, across: float) -> None:
        """Put the border of a swipe at a share of the pictures' width."""
        place = float(np.clip(across, 0.0, 1.0))
        if self._canvas.view.arrangement is Arrangement.SWIPE and place != self.border:
            self.border = place
            self.renew()

    def renew(self) -> None:
        """Make the difference and the swipe anew of what they are made of, where they are looked at."""
        view, roles = self._canvas.view, self.roles
        if roles is None:
            return
        if DIFFERENCE in view.chosen:
            first, second = (self._data(role) for role in roles)
            self._book.state(DIFFERENCE, " - ".join(self._book.title(role)[0].partition(",")[0] for role in roles))
            self._show(DIFFERENCE, first - second, roles[0])
        if view.arrangement is Arrangement.SWIPE:
            first, second = (self._data(role) for role in roles)
            column = round(self.border * first.shape[1])
            mixed = np.concatenate((first[:, :column], second[:, column:]), axis=1)
            fresh, self._wiped = self._wiped != roles, roles
            self._show(SWIPE, mixed, roles[0], self._layer(roles[0]).contrast_limits if fresh else None)

    def _show(self, role: str, data: NDArray[np.floating], upon: str, limits: Collection[float] | None = None) -> None:
        old = self._book.get(role)
        if old is None or old.data.shape != data.shape or not np.array_equal(old.data, data):
            low_high = None if limits is None else (float(min(limits)), float(max(limits)))
            self._book.show(role, data, limits=low_high, placement=Placement.of(self._layer(upon)))

    def _fits(self, role: str) -> bool:
        layer = self._book.get(role)
        flat = layer is not None and layer.ndim == 2 and layer.colormap.name == "gray"
        return flat and role not in _MADE_OF_OTHERS

    def _layer(self, role: str) -> Image:
        layer = self._book.get(role)
        assert layer is not None, "a role of a pair has a layer"
        return layer

    def _data(self, role: str) -> NDArray[np.floating]:
        return np.asarray(self._layer(role).data)
