"""The Labels layer over k-space on which masks are drawn; it turns the mouse and the keyboard into strokes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from napari_pogmdm.gui.docks.sampling.brush import Brush, Cell
from napari_pogmdm.gui.docks.sampling.drawing import Drawing
from napari_pogmdm.physics.masks.mask import Samples

if TYPE_CHECKING:
    from napari.layers import Image, Labels
    from napari.utils.events import Event
    from napari.viewer import Viewer

MEASURED, MISSING = 1, 2  # labels of samples that are measured, and of those that the file does not hold
_COLOURS = {0: "transparent", MEASURED: "#35e0ff", MISSING: "#8a8a8a", None: "transparent"}
_KEYS = {Brush.LINE: "l", Brush.COLUMN: "c", Brush.ROW: "r", Brush.POINT: "p"}
_OURS = {"paint", "erase"}


class StrokeHandler(Protocol):
    """Who is told of what the user does on the layer."""

    def press(self, cell: Cell) -> None:
        """Begin a stroke."""

    def move(self, cell: Cell) -> None:
        """Draw on."""

    def lift(self) -> None:
        """End a stroke."""

    def change(self, how: Callable[[Drawing], None]) -> None:
        """Change the drawing, such as by `Drawing.undo`."""

    def choose(self, brush: Brush) -> None:
        """Take another brush."""

    def erase(self, erasing: bool) -> None:
        """Erase from now on, or paint again."""

    def resize(self, size: int) -> None:
        """Take a thicker or thinner brush."""

    def take_over(self) -> None:
        """Accept what napari's own tools are painting; some tell of it just before they do."""

    def dismissed(self) -> None:
        """Stop drawing: the layer was deleted."""


class MaskLayer:
    """Shows a mask over k-space, and lends itself to drawing.

    napari's modes keep their meaning: in "paint" and "erase" the strokes go to the handler, and the other tools of the
    layer, such as fill or polygon, work as ever; what they changed is handed over afterwards.

    Parameters
    ----------
    viewer
        Where the layer is shown.
    handler
        Who is told of strokes and keys.
    """

    def __init__(self, viewer: Viewer, handler: StrokeHandler) -> None:
        self._viewer = viewer
        self._handler = handler
        self._layer: Labels | None = None
        viewer.layers.events.removed.connect(self._removed)

    @property
    def layer(self) -> Labels | None:
        """The napari layer, if there is one now."""
        return self._layer

    def show(self, samples: Samples, allowed: Samples | None, under: Image) -> None:
        """Show a mask upon the k-space layer.

        Parameters
        ----------
        samples
            (rows, columns) that are measured.
        allowed
            (rows, columns) that the file holds; ``None`` for all.
        under
            The layer of k-space.
        """
        if self._layer is not None and self._layer.data.shape != samples.shape:
            self.remove()
        if self._layer is None:
            self._layer = self._make(samples.shape)
        _lay_upon(self._layer, under)
        self.update(samples, allowed)

    def update(self, samples: Samples, allowed: Samples | None) -> None:
        """Show other samples in the same layer."""
        layer = self._layer
        if layer is None:
            return
        np.copyto(layer.data, samples, casting="unsafe")
        if allowed is not None:
            layer.data[~allowed] = MISSING
        layer.refresh(thumbnail=False, highlight=False, extent=False)

    def samples(self) -> Samples | None:
        """Read the mask as it is painted now."""
        if self._layer is None:
            return None
        data = np.asarray(self._layer.data)
        return (data != 0) & (data != MISSING)

    def hold(self, erasing: bool, size: int) -> None:
        """Take up the brush: strokes on the canvas draw from now on."""
        layer = self._layer
        if layer is None:
            return
        self._viewer.layers.selection.active = layer
        layer.brush_size = size
        layer.mode = "erase" if erasing else "paint"

    def remove(self) -> None:
        """Take the layer away."""
        layer, self._layer = self._layer, None
        if layer is not None and layer in self._viewer.layers:
            self._viewer.layers.remove(layer)

    def close(self) -> None:
        """Stop listening to the viewer."""
        self._viewer.layers.events.removed.disconnect(self._removed)

    def _make(self, shape: tuple[int, ...]) -> Labels:
        from napari.layers import Labels
        from napari.utils.colormaps import DirectLabelColormap

        layer = Labels(
            np.zeros(shape, dtype=np.uint8),
            name="mask: draw here",
            opacity=0.45,  # k-space can be seen through it
            colormap=DirectLabelColormap(color_dict=_COLOURS),
            axis_labels=("ky", "kx"),
        )
        layer.selected_label = MEASURED
        handler = self._handler
        for key, action in {"Control-Z": Drawing.undo, "Control-Shift-Z": Drawing.redo}.items():
            layer.bind_key(key, _ignoring(partial(handler.change, action)), overwrite=True)
        for brush, key in _KEYS.items():
            layer.bind_key(key, _ignoring(partial(handler.choose, brush)), overwrite=True)
        layer.bind_key("e", lambda layer: handler.erase(layer.mode != "erase"), overwrite=True)
        layer.events.mode.connect(self._mode_changed)
        layer.events.brush_size.connect(self._brush_resized)
        layer.events.paint.connect(_ignoring(handler.take_over))
        self._viewer.add_layer(layer)
        return layer

    def _mode_changed(self) -> None:
        layer = self._layer
        if layer is None or layer.mode not in _OURS:
            return
        callbacks = layer.mouse_drag_callbacks  # among them is napari's own brush, whose place is taken
        callbacks[:] = [callback for callback in callbacks if getattr(callback, "__name__", "") != "draw"]
        if self._drag not in callbacks:
            callbacks.append(self._drag)
        self._handler.erase(layer.mode == "erase")

    def _brush_resized(self) -> None:
        if self._layer is not None:
            self._handler.resize(int(self._layer.brush_size))

    def _drag(self, layer: Labels, event: Event) -> Iterator[None]:
        """Follow one stroke; napari resumes this generator at every movement and at the release."""
        if layer.mode not in _OURS or event.button != 1 or len(event.dims_displayed) != 2:
            return
        self._handler.press(_cell(layer, event))
        try:
            yield
            while event.type == "mouse_move":
                self._handler.move(_cell(layer, event))
                yield
            self._handler.move(_cell(layer, event))  # where the button was let go
        finally:
            self._handler.lift()

    def _removed(self, event: Event) -> None:
        if self._layer is not None and event.value is self._layer:
            self._layer = None
            self._handler.dismissed()


def _lay_upon(layer: Labels, under: Image) -> None:
    """Put the layer where k-space lies; moving a layer is slow, so it is not done without need."""
    for name in ("units", "scale", "translate"):
        if not np.array_equal(getattr(layer, name), getattr(under, name)):
            setattr(layer, name, getattr(under, name))


def _cell(layer: Labels, event: Event) -> Cell:
    row, column = np.rint(layer.world_to_data(event.position)[-2:]).astype(int)
    return int(row), int(column)


def _ignoring(action: Callable[[], None]) -> Callable[[object], None]:
    """Make a callback of an action that needs to know nothing."""

    def bound(_: object) -> None:
        action()

    return bound
