"""The layers of a comparison: one image and one error a method, at one contrast, side by side when asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.case import MethodChoice
from napari_pogmdm.gui.core.canvas import Canvas
from napari_pogmdm.gui.docks.compare.queue import ComparisonRow
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.style import Contrast, LayerStyle
from napari_pogmdm.gui.layers.view import COMPARE, Arrangement
from napari_pogmdm.runs.roles import Role

if TYPE_CHECKING:
    from napari.layers import Image

IMAGES, ERRORS, RESIDUALS = "compare", "error of", "null space of"
_ONE_ROW = 5  # images that stand in one row above their errors; of more, each stands beside its error


class ComparisonLayers:
    """Shows the images of rows; they stay hidden until they are arranged side by side.

    Parameters
    ----------
    book
        Makes and finds the layers.
    canvas
        Shows them side by side.
    """

    def __init__(self, book: LayerBook, canvas: Canvas) -> None:
        self._book = book
        self._canvas = canvas

    @property
    def arranged(self) -> bool:
        """Whether the images are side by side now."""
        view = self._canvas.view
        return view.name == COMPARE and any(str(panel).startswith(IMAGES) for panel in view.chosen)

    def show(self, row: ComparisonRow, reference: FloatImage | None) -> None:
        """Make or refresh the layers of a row."""
        result, label = row.result, row.choice.label
        if result is None:
            return
        caption = label if result.metrics is None else f"{label}: {result.metrics.psnr:.1f} dB"
        self._show(f"{IMAGES} {label}", LayerStyle(caption), result.image)
        if reference is not None:
            name = f"{ERRORS} {label}"
            self._show(name, LayerStyle(name, "inferno", Contrast.ERROR, unit="%"), np.abs(result.image - reference))

    def layers(self, rows: Sequence[ComparisonRow], kind: str = IMAGES) -> list[Image]:
        """Give the layers of rows, as far as they are there."""
        found = [self._book.get(f"{kind} {row.choice.label}") for row in rows]
        return [layer for layer in found if layer is not None]

    def arrange(self, rows: Sequence[ComparisonRow], with_errors: bool) -> None:
        """Show images, the reference and, below the images, their errors."""
        images = self._roles(rows, IMAGES)
        if not images:
            raise InputError("compare: there is no image yet; run some methods first.")
        errors = self._roles(rows, ERRORS) if with_errors else []
        truth = [str(Role.REFERENCE)] if self._book.get(Role.REFERENCE) is not None else []
        linked = ([*images, *truth], errors)
        if not errors:
            self._canvas.present(COMPARE, [*images, *truth], linked=linked)
        elif len(images) + len(truth) <= _ONE_ROW:
            # the truth at the end, so that every error stands below its image
            self._canvas.present(COMPARE, [*images, *truth, *errors], linked=linked, columns=len(images) + len(truth))
        else:
            pairs = [panel for pair in zip(images, errors, strict=True) for panel in pair]
            self._canvas.present(COMPARE, [*pairs, *truth], linked=linked, paired=True)

    def show_one(self, row: ComparisonRow) -> None:
        """Show the image of a row alone."""
        images = self._roles([row], IMAGES)
        if images:
            self._canvas.present(COMPARE, images, arrangement=Arrangement.ONE)

    def leave(self) -> None:
        """Show what was visible before."""
        self._canvas.back(COMPARE)

    def arrange_residuals(self, rows: Sequence[ComparisonRow]) -> None:
        """Show the null-space residuals of all coil maps at one contrast."""
        for row in rows:
            result, label = row.result, row.choice.label
            if result is not None and result.residual_map is not None:
                style = LayerStyle(f"{label}: residual {result.coil_residual:.1%}", "magma", Contrast.ERROR, unit="%")
                self._show(f"{RESIDUALS} {label}", style, result.residual_map)
        maps = self._roles(rows, RESIDUALS)
        if maps:
            self._canvas.present(COMPARE, maps, linked=(maps,))

    def remove(self, rows: Sequence[ComparisonRow], kept: Collection[MethodChoice] = ()) -> None:
        """Take the layers of an earlier comparison away; images of kept methods wait for new data, hidden."""
        self._canvas.back(COMPARE)
        for row in rows:
            for kind in (RESIDUALS,) if row.choice in kept else (IMAGES, ERRORS, RESIDUALS):
                self._book.remove(f"{kind} {row.choice.label}")

    def mark(self, rows: Sequence[ComparisonRow], remark: str) -> None:
        """Say of all images of rows what is to be heeded, such as that they belong to an earlier mask."""
        for kind in (IMAGES, ERRORS, RESIDUALS):
            for role in self._roles(rows, kind):
                self._book.remark(role, remark)

    def _roles(self, rows: Sequence[ComparisonRow], kind: str) -> list[str]:
        found = [f"{kind} {row.choice.label}" for row in rows]
        return [role for role in found if self._book.get(role) is not None]

    def _show(self, role: str, style: LayerStyle, data: FloatImage) -> None:
        self._book.add_style(role, style)
        self._book.welcome_back(role)  # somebody asked for it: one that was deleted may come back
        self._book.show(role, data)
        self._book.remark(role)  # new data are of the present mask; the name may have new numbers
