"""The layers of a comparison: one image and one error a method, at one contrast, side by side when asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.case import MethodChoice
from napari_pogmdm.gui.docks.compare.queue import ComparisonRow
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.grid import GridView
from napari_pogmdm.gui.layers.style import Contrast, LayerStyle
from napari_pogmdm.runs.roles import Role

if TYPE_CHECKING:
    from napari.layers import Image

IMAGES, ERRORS, RESIDUALS = "compare", "error of", "null space of"
_OWNER = "compare"
_RESIDUAL_OWNER = "compare coils"
_ONE_ROW = 4  # residual maps that stand in one row; more are spread over several by napari


class ComparisonLayers:
    """Shows the images of rows; they stay hidden until they are arranged side by side.

    Parameters
    ----------
    book
        Makes and finds the layers.
    grid
        Shows them side by side.
    """

    def __init__(self, book: LayerBook, grid: GridView) -> None:
        self._book = book
        self._grid = grid

    @property
    def arranged(self) -> bool:
        """Whether the images are side by side now."""
        return self._grid.owner == _OWNER

    def show(self, row: ComparisonRow, reference: FloatImage | None) -> None:
        """Make or refresh the layers of a row."""
        result, label = row.result, row.choice.label
        if result is None:
            return
        caption = label if result.metrics is None else f"{label}: {result.metrics.psnr:.1f} dB"
        self._show(f"{IMAGES} {label}", LayerStyle(caption), result.image)
        if reference is not None:
            name = f"{ERRORS} {label}"
            self._show(name, LayerStyle(name, "inferno", Contrast.ERROR), np.abs(result.image - reference))

    def layers(self, rows: Sequence[ComparisonRow], kind: str = IMAGES) -> list[Image]:
        """Give the layers of rows, as far as they are there."""
        found = [self._book.get(f"{kind} {row.choice.label}") for row in rows]
        return [layer for layer in found if layer is not None]

    def arrange(self, rows: Sequence[ComparisonRow], with_errors: bool) -> None:
        """Show images, the reference and, below the images, their errors."""
        images = self.layers(rows)
        if not images:
            raise InputError("compare: there is no image yet; run some methods first.")
        reference = self._book.get(Role.REFERENCE)
        if reference is not None:
            images.append(reference)  # at the end, so that every error stands below its image
        errors = self.layers(rows, ERRORS) if with_errors else []
        wide = len(images) if errors else -1
        self._grid.show(_OWNER, [*images, *errors], columns=wide, linked=(images, errors))

    def leave(self) -> None:
        """Show what was visible before."""
        self._grid.restore(_OWNER)

    def arrange_residuals(self, rows: Sequence[ComparisonRow]) -> None:
        """Show the null-space residuals of all coil maps at one contrast."""
        for row in rows:
            result, label = row.result, row.choice.label
            if result is not None and result.residual_map is not None:
                style = LayerStyle(f"{label}: residual {result.coil_residual:.1%}", "magma", Contrast.ERROR)
                self._show(f"{RESIDUALS} {label}", style, result.residual_map)
        layers = self.layers(rows, RESIDUALS)
        if layers:
            wide = len(layers) if len(layers) <= _ONE_ROW else -1
            self._grid.show(_RESIDUAL_OWNER, layers, columns=wide, linked=(layers,))

    def remove(self, rows: Sequence[ComparisonRow], kept: Collection[MethodChoice] = ()) -> None:
        """Take the layers of an earlier comparison away; images of kept methods wait for new data, hidden."""
        for owner in (_OWNER, _RESIDUAL_OWNER):
            self._grid.restore(owner)
        for row in rows:
            for kind in (RESIDUALS,) if row.choice in kept else (IMAGES, ERRORS, RESIDUALS):
                self._book.remove(f"{kind} {row.choice.label}")

    def _show(self, role: str, style: LayerStyle, data: FloatImage) -> None:
        if self._book.get(role) is None:
            self._book.add_style(role, style)
            self._book.ask(role, visible=False)  # somebody asked for it: one that was deleted may come back
        layer = self._book.show(role, data)
        if layer is not None and layer.name != style.name:
            layer.name = style.name
