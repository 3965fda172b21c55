"""A hand for the tests: strokes with the mouse on the canvas, and a mask drawn for show."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from qtpy.QtCore import QEvent, QPointF, Qt
from qtpy.QtGui import QMouseEvent
from qtpy.QtWidgets import QApplication, QWidget

from napari_pogmdm.gui.docks.sampling.dock import SamplingDock

Cell = tuple[int, int]


def stroke(dock: SamplingDock, *path: Cell) -> None:
    """Press the left button on the first cell of k-space, move over the others, and let go."""
    canvas = dock.workbench.viewer.window._qt_viewer.canvas.native
    places = [_on_canvas(dock, cell) for cell in path]
    kinds = QEvent.Type
    _send(canvas, kinds.MouseButtonPress, places[0])
    for place in places[1:]:
        _send(canvas, kinds.MouseMove, place)
    _send(canvas, kinds.MouseButtonRelease, places[-1])


def _send(canvas: QWidget, kind: QEvent.Type, place: QPointF) -> None:
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    moving, up = kind == QEvent.Type.MouseMove, kind == QEvent.Type.MouseButtonRelease
    event = QMouseEvent(
        kind,
        place,
        canvas.mapToGlobal(place),
        none if moving else left,
        none if up else left,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(canvas, event)


def draw_example(dock: SamplingDock, until: Callable[[Callable[[], object]], None]) -> None:
    """Draw a fan of lines beside a fully sampled centre, k-space and point spread in view; a scan must be open."""
    until(lambda: dock.session.preview is not None)
    dock.draw_button.click()
    until(lambda: dock.controller.layer.layer is not None)
    tools, controller = dock.drawing, dock.controller
    rows, columns = controller.drawing.shape
    tools.clear.click()
    tools.centre_form.setCurrentIndex(tools.centre_form.findData("square"))
    tools.centre_size.setValue(columns // 10)
    tools.fill.click()
    tools.brushes[next(brush for brush in tools.brushes if brush.value == "line")].click()
    tools.mirrors["left_right"].setChecked(True)
    for column in np.linspace(0, columns // 2, 14).astype(int):
        controller.press((0, int(column)))
        controller.move((rows - 1, columns - 1 - int(column)))
        controller.lift()
    for row in np.linspace(rows // 14, rows // 2, 12).astype(int):
        controller.press((int(row), 0))
        controller.move((rows - 1 - int(row), columns - 1))
        controller.lift()
    until(lambda: len(dock.session.mask.edits) > 20 and not dock.workbench.loader.measuring)


def _on_canvas(dock: SamplingDock, cell: Cell) -> QPointF:
    viewer = dock.workbench.viewer
    layer = dock.controller.layer.layer
    world = np.asarray(layer.data_to_world(cell))
    canvas = viewer.window._qt_viewer.canvas.native
    camera = viewer.scene.camera
    row, column = (world - np.asarray(camera.center[-2:])) * camera.zoom
    return QPointF(round(canvas.width() / 2 + column), round(canvas.height() / 2 + row))
