"""The page of the Compare dock about a region: the numbers of every method inside drawn shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from qtpy.QtCore import Signal
from qtpy.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget
from superqt.utils import signals_blocked

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.combo import Combo
from napari_pogmdm.gui.docks.compare.queue import ComparisonRow
from napari_pogmdm.gui.docks.compare.regions import outline, region_mask, region_numbers
from napari_pogmdm.gui.docks.compare.table import Column, NumberTable, TableRow

if TYPE_CHECKING:
    from napari.layers import Image, Layer, Shapes
    from napari.viewer import Viewer

_COLUMNS = (
    Column("Method", "What reconstructed the measurement"),
    Column("Mean", "Inside the region, in the units of the file", "{:.4g}"),
    Column("SD", "Standard deviation inside the region", "{:.3g}"),
    Column("RMSE", "Root mean square error inside the region", "{:.3g}", -1),
)
_NO_REGION = "Draw a region on the image."


class RegionPage(QWidget):
    """Numbers inside the shapes of a Shapes layer.

    Attributes
    ----------
    changed
        Signal: another layer was chosen, or its shapes were drawn, moved or selected.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.layer = Combo()
        self.layer.setAccessibleName("Shapes layer")
        self.layer.setToolTip("The shapes of this layer, or the selected ones among them, are the region")
        self.layer.currentIndexChanged.connect(self._watch)
        self.begin = QPushButton("Dra&w")
        self.begin.setToolTip("Make a Shapes layer over the image and draw a rectangle in it")
        self.remark = QLabel(_NO_REGION)
        self.remark.setWordWrap(True)
        self.table = NumberTable(_COLUMNS, "Numbers inside the region")
        self._watched: Shapes | None = None
        row = QHBoxLayout()
        row.addWidget(self.layer, 1)
        row.addWidget(self.begin)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.addLayout(row)
        column.addWidget(self.remark)
        column.addWidget(self.table, 1)

    @property
    def chosen(self) -> Shapes | None:
        """The layer whose shapes count."""
        return self.layer.currentData()

    def offer(self, layers: Iterable[Layer]) -> None:
        """List the Shapes layers among these, keeping the chosen one."""
        from napari.layers import Shapes

        before, shapes = self.chosen, [layer for layer in layers if isinstance(layer, Shapes)]
        if [self.layer.itemData(number) for number in range(self.layer.count())] == shapes:
            return
        with signals_blocked(self.layer):
            self.layer.clear()
            for layer in shapes:
                self.layer.addItem(layer.name, layer)
            found = self.layer.findData(before) if before is not None else -1
            self.layer.setCurrentIndex(found if found >= 0 else len(shapes) - 1)
        self._watch()

    def draw(self, viewer: Viewer, image: Image | None) -> Shapes:
        """Make a Shapes layer where an image lies, ready to draw a rectangle, and choose it."""
        layer = viewer.add_shapes(name="region", face_color="#ffb45440", edge_color="#ffb454", edge_width=1)
        if image is not None:
            layer.scale, layer.translate, layer.units = image.scale[-2:], image.translate[-2:], image.units[-2:]
        layer.mode = "add_rectangle"
        self.layer.setCurrentIndex(self.layer.findData(layer))
        return layer

    def _watch(self) -> None:
        """Follow the shapes of the chosen layer as they are drawn, moved and selected."""
        if self._watched is not None:
            for event in (self._watched.events.set_data, self._watched.events.highlight):
                event.disconnect(self._tell)
        self._watched = self.chosen
        if self._watched is not None:
            for event in (self._watched.events.set_data, self._watched.events.highlight):
                event.connect(self._tell)
        self.changed.emit()

    def _tell(self) -> None:
        with suppress(RuntimeError):  # the layer may outlive this dock
            self.changed.emit()

    def show_rows(self, rows: Sequence[ComparisonRow], reference: FloatImage | None, image_layer: Image | None) -> None:
        """Fill in the numbers of all images; a region that holds nothing is told in one sentence."""
        images = [(row.choice.label, row.result.image) for row in rows if row.result is not None]
        if self.chosen is None or image_layer is None or not images:
            self.table.show_rows([])
            self.remark.setText(_NO_REGION if self.chosen is None else "Run some methods to see numbers here.")
            return
        try:
            inside = region_mask(images[0][1].shape, _outlines(self.chosen, image_layer))
        except InputError as error:
            self.table.show_rows([])
            self.remark.setText(str(error))
            return
        if reference is not None:
            images.append(("fully sampled", reference))
        lines = []
        for label, image in images:
            found = region_numbers(image, None if image is reference else reference, inside)
            lines.append(TableRow(label, (label, found.mean, found.deviation, found.error)))
        self.remark.setText(f"{int(inside.sum())} pixels")
        self.table.show_rows(lines)


def _outlines(shapes: Shapes, image: Image) -> list[NDArray[np.float64]]:
    """Give the outlines of the selected shapes, or of all, in pixels of an image."""
    chosen = sorted(shapes.selected_data) or range(len(shapes.data))
    found = []
    for number in chosen:
        corners = outline(str(shapes.shape_type[number]), shapes.data[number])
        lead = (0.0,) * (shapes.ndim - 2)
        world = [shapes.data_to_world((*lead, *corner)) for corner in corners]
        found.append(np.array([image.world_to_data(point)[-2:] for point in world]))
    return found
