"""The visible panels as a figure for a paper or a slide."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.gui.core.canvas import Canvas
from napari_pogmdm.gui.core.canvas_frame import CanvasFrame
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.recon.publication import FigurePanel, FigureStyle, save_publication

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.viewer import Viewer

_COLOURS = 256  # steps of a colour map in a figure


class FigureMaker:
    """Draws what is seen.

    Parameters
    ----------
    viewer, canvas, frame, book
        What is seen, and what is written upon it.
    session
        Whose reference errors are differences to.
    """

    def __init__(self, viewer: Viewer, canvas: Canvas, frame: CanvasFrame, book: LayerBook, session: Session) -> None:
        self._viewer = viewer
        self._canvas = canvas
        self._frame = frame
        self._book = book
        self._session = session

    def save(self, path: Path, style: FigureStyle) -> None:
        """Write the panels of the view to a file, in their order and contrast; `InputError` says what is wrong."""
        pixel = self._book.geometry.pixel if self._book.geometry.unit == "mm" else None
        layers = [layer for layer in self._canvas.panels() if hasattr(layer, "contrast_limits") and not layer.rgb]
        save_publication([self._panel(layer) for layer in layers], self._session.reference, path, style, pixel)

    def _panel(self, layer: Layer) -> FigurePanel:
        role = self._book.role_of(layer)
        unit = "" if role is None else self._book.style(role).unit
        share = 100 / (self._book.geometry.white or 1.0) if unit == "%" else 1.0
        low, high = (share * float(limit) for limit in layer.contrast_limits)
        grey = layer.colormap.name == "gray"
        colours = None if grey else np.asarray(layer.colormap.map(np.linspace(0, 1, _COLOURS)))
        return FigurePanel(self._frame.title_of(layer), share * self._flat(layer), (low, high), colours, unit)

    def _flat(self, layer: Layer) -> NDArray[np.floating]:
        """Give the picture that is shown of a stack."""
        data = np.asarray(layer.data)
        for place in self._viewer.dims.current_step[: data.ndim - 2]:
            data = data[min(int(place), len(data) - 1)]
        return data
