"""What the canvas shows while a mask is drawn: k-space, and beside it the image and the point spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from napari_pogmdm.gui.layers.view import SAMPLING
from napari_pogmdm.runs.roles import Role

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

    @property
    def kspace(self) -> Image | None:
        """The layer to draw upon."""
        return self._workbench.book.get(Role.KSPACE)

    def holds(self, layer: Layer) -> bool:
        """Whether a layer is one of those that appear for drawing."""
        return self._workbench.book.role_of(layer) in _BESIDE

    def open(self) -> None:
        """Show k-space, the image and the point spread beside each other."""
        canvas, book = self._workbench.canvas, self._workbench.book
        book.welcome_back(*_BESIDE)
        for role in (Role.ZERO_FILLED, *_BESIDE):
            canvas.choose(SAMPLING, role)
        canvas.show(SAMPLING)

    def hold(self, layer: Layer) -> None:
        """Let the mask under the brush be seen upon k-space, and nowhere else."""
        self._workbench.canvas.adopt(layer, SAMPLING)

    def close(self) -> None:
        """Show what was shown before."""
        self._workbench.canvas.back(SAMPLING)

    def fit(self) -> None:
        """Fit what matters now into the canvas: k-space alone, or the image and the point spread, too."""
        if self._workbench.canvas.shown != SAMPLING:
            return
        if self.close_up and self.kspace is not None:
            self._workbench.camera.fit([self.kspace])
        else:
            self._workbench.canvas.fit()
