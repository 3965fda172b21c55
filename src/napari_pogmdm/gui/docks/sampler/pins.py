"""Finished pictures that stay: pinned, with what made them in the title, to be held against the next run."""

from __future__ import annotations

import numpy as np

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.layers.style import LayerStyle
from napari_pogmdm.gui.layers.view import INTENSITIES, RUN
from napari_pogmdm.runs.roles import Role


class Pins:
    """Keeps copies of the run's image as panels of its view; deleting the layer takes a pin away.

    Parameters
    ----------
    workbench
        Whose run is pinned.
    """

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._count = 0

    def pin(self) -> str:
        """Keep the image that is shown now; gives the role of the copy, or nothing where there is no image."""
        bench, book = self._workbench, self._workbench.book
        image = book.get(Role.IMAGE)
        if image is None:
            return ""
        self._count += 1
        role = f"pinned {self._count}"
        book.add_style(role, LayerStyle(role))
        view = bench.canvas.views[RUN]
        view.roles = (*view.roles, role)
        pins = tuple(one for one in view.roles if str(one).startswith("pinned "))
        view.linked = ((*INTENSITIES, *pins),)
        book.show(role, np.array(image.data), limits=tuple(image.contrast_limits), thumbnail=True)
        book.state(role, book.facts(Role.IMAGE))
        bench.canvas.choose(RUN, role)
        bench.canvas.show(RUN)
        return role
