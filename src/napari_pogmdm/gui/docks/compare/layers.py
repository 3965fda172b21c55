"""The layers of a comparison: one image and one error a method, at one contrast, side by side when asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.case import Contender
from napari_pogmdm.gui.docks.compare.queue import Row
from napari_pogmdm.gui.layers.book import LayerBook, LayerStyle
from napari_pogmdm.gui.layers.grid import GridView

if TYPE_CHECKING:
    from napari.layers import Image

IMAGES, ERRORS, RESIDUALS = "compare", "error of", "null space of"
_OWNER = "compare"
_RESIDUAL_OWNER = "compare coils"


class Gallery:
    """Hangs the pictures of rows; they stay hidden until they are shown side by side."""

    def __init__(self, book: LayerBook, grid: GridView) -> None:
        self._book = book
        self._grid = grid

    @property
    def arranged(self) -> bool:
        """Whether the images are side by side now."""
        return self._grid.owner == _OWNER

    def hang(self, row: Row, reference: FloatImage | None) -> None:
        """Make or refresh the layers of a row."""
        outcome, label = row.outcome, row.contender.label
        if outcome is None:
            return
        caption = label if outcome.metrics is None else f"{label}: {outcome.metrics.psnr:.1f} dB"
        self._show(f"{IMAGES} {label}", LayerStyle(caption), outcome.image)
        if reference is not None:
            name = f"{ERRORS} {label}"
            self._show(name, LayerStyle(name, "inferno", "error"), np.abs(outcome.image - reference))

    def layers(self, rows: Sequence[Row], kind: str = IMAGES) -> list[Image]:
        """Give the layers of rows, as far as they are there."""
        found = [self._book.get(f"{kind} {row.contender.label}") for row in rows]
        return [layer for layer in found if layer is not None]

    def arrange(self, rows: Sequence[Row], with_errors: bool) -> None:
        """Show images, the reference and, below the images, their errors."""
        images = self.layers(rows)
        if not images:
            raise InputError("compare: there is no image yet; run some methods first.")
        reference = self._book.get("reference")
        if reference is not None:
            images.append(reference)  # at the end, so that every error stands below its image
        errors = self.layers(rows, ERRORS) if with_errors else []
        wide = len(images) if errors else -1
        self._grid.show(_OWNER, [*images, *errors], columns=wide, linked=(images, errors))

    def leave(self) -> None:
        """Show what was visible before."""
        self._grid.restore(_OWNER)

    def arrange_residuals(self, rows: Sequence[Row]) -> None:
        """Show the null-space residuals of all coil maps at one contrast."""
        for row in rows:
            outcome, label = row.outcome, row.contender.label
            if outcome is not None and outcome.residual_map is not None:
                look = LayerStyle(f"{label}: residual {outcome.coil_residual:.1%}", "magma", "error")
                self._show(f"{RESIDUALS} {label}", look, outcome.residual_map)
        layers = self.layers(rows, RESIDUALS)
        if layers:
            wide = len(layers) if len(layers) < 5 else -1
            self._grid.show(_RESIDUAL_OWNER, layers, columns=wide, linked=(layers,))

    def take_down(self, rows: Sequence[Row], kept: Collection[Contender] = ()) -> None:
        """Take the layers of an earlier comparison away; images of kept contenders wait for new data, hidden."""
        for owner in (_OWNER, _RESIDUAL_OWNER):
            self._grid.restore(owner)
        for row in rows:
            for kind in (RESIDUALS,) if row.contender in kept else (IMAGES, ERRORS, RESIDUALS):
                self._book.remove(f"{kind} {row.contender.label}")

    def _show(self, role: str, look: LayerStyle, data: np.ndarray[Any, Any]) -> None:
        if self._book.get(role) is None:
            self._book.add_style(role, look)
            self._book.ask(role, visible=False)  # somebody asked for it: one that was deleted may come back
        layer = self._book.show(role, data)
        if layer is not None and layer.name != look.name:
            layer.name = look.name
