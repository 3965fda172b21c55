"""Makes the viewer show chosen layers and nothing else, alone or in napari's grid, in one go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from napari.experimental import link_layers, unlink_layers

from napari_pogmdm.gui.layers.camera import extent_of
from napari_pogmdm.gui.layers.view import best_columns

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.viewer import Viewer

_SPACING = 4  # pixels between two cells, enough to tell images with dark edges apart


class Stage:
    """The layers of one viewer, as far as they are seen.

    Parameters
    ----------
    viewer
        Whose layers they are.

    Attributes
    ----------
    setting
        Whether it is at work, so that what changes is not somebody else's doing.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._links: list[list[Layer]] = []
        self.setting = False

    def set(self, panels: Sequence[Layer], beside: Sequence[Layer], *, gridded: bool, columns: int, step: int) -> None:
        """Show layers and hide all others.

        Parameters
        ----------
        panels
            In the order of the cells.
        beside
            What is seen besides, such as a mask under the brush.
        gridded
            Whether every panel has a cell of its own.
        columns, step
            Of the grid; 0 for as many as let the panels be largest, in multiples of the step.
        """
        viewer = self._viewer
        with self.at_work(), self._one_update():
            if gridded:
                for place, layer in enumerate(panels):
                    here = viewer.layers.index(layer)
                    if here != place:  # the order of the list is the order of the cells
                        viewer.layers.move(here, place)
            for layer in viewer.layers:
                seen = layer in panels or layer in beside
                if bool(layer.visible) != seen:
                    layer.visible = seen
            self._set_grid(panels, gridded, columns, step)
            active = viewer.layers.selection.active
            if panels and (active is None or not active.visible):
                viewer.layers.selection.active = panels[-1]

    def link(self, groups: Sequence[Sequence[Layer]]) -> None:
        """Let each group have one contrast, that of its first layer, and no others."""
        for group in self._links:
            unlink_layers([layer for layer in group if layer in self._viewer.layers], ("contrast_limits",))
        self._links = [list(group) for group in groups if len(group) > 1]
        for group in self._links:
            for layer in group[1:]:
                if tuple(layer.contrast_limits) != tuple(group[0].contrast_limits):
                    layer.contrast_limits = group[0].contrast_limits
            link_layers(group, ("contrast_limits",))

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Let changes be known as our own."""
        before, self.setting = self.setting, True
        try:
            yield
        finally:
            self.setting = before

    def _set_grid(self, panels: Sequence[Layer], gridded: bool, columns: int, step: int) -> None:
        grid = self._viewer.canvas.grid
        if gridded:
            top, left, bottom, right = extent_of(panels)
            height, width = (float(size) for size in self._viewer.canvas.size)
            best = columns or best_columns(len(panels), (height, width), (bottom - top, right - left), step)
            grid.stride, grid.shape, grid.spacing = 1, (-1, best), _SPACING
        if grid.enabled != gridded:
            grid.enabled = gridded

    @contextmanager
    def _one_update(self) -> Iterator[None]:
        """Have napari put its cells together once for many changes; each time takes a tenth of a second."""
        scene = None
        with suppress(AttributeError):  # a viewer without a window
            scene = self._viewer.window._qt_viewer.canvas
            scene._pause_scene_graph = True
        try:
            yield
        finally:
            if scene is not None:
                scene._pause_scene_graph = False
                scene._update_scenegraph()
