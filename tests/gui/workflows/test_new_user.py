"""Things that somebody who opens the window for the first time does in the first minutes."""

from __future__ import annotations

import numpy as np
import pytest
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QTabBar

from napari_pogmdm.data.acquisition import InMemoryScan
from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.gui.arrangement import RIGHT, open_workbench
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.inspector.dock import InspectorDock
from napari_pogmdm.runs.status import Phase


@pytest.fixture
def whole(small):
    """All docks, in a window of a laptop's size."""
    window = small.viewer.window._qt_window
    window.resize(1366, 768)
    window.show()
    open_workbench(small.viewer)
    return small


def choose_tab(qtbot, bench, name):
    """Click the tab of a dock."""
    for bar in bench.viewer.window._qt_window.findChildren(QTabBar):
        for index in range(bar.count()):
            if bar.tabText(index) == name:
                qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(index).center())
                return
    raise AssertionError(name)


def test_the_inspector_draws_when_its_tab_is_chosen(whole, qtbot, until):
    dock = whole.viewer.window._qt_window.findChild(InspectorDock)
    until(lambda: dock.inspection.views)
    qtbot.wait(500)
    assert not any(dock.inspection.analyses), "nothing should be analysed while nobody can see it"
    choose_tab(qtbot, whole, "Inspector")
    until(lambda: all(dock.inspection.analyses))


@pytest.mark.parametrize("name", RIGHT)
def test_no_dock_is_wider_than_its_place(whole, qtbot, until, name):
    choose_tab(qtbot, whole, name)
    dock = next(one for one in whole.viewer.window._qt_window.findChildren(Dock) if one.heading == name)
    until(lambda: not dock.visibleRegion().isEmpty())
    qtbot.wait(100)
    assert dock.widget().minimumSizeHint().width() <= dock.viewport().width()


def test_deleted_layers_come_back_with_a_newly_opened_scan(small, until):
    small.viewer.layers.clear()
    scan = simulate_scan(shepp_logan((48, 40)), coils=4, noise=0.01)
    small.loader.take(InMemoryScan("again", (scan,)))
    until(lambda: small.book.get("zero-filled") is not None)
    assert small.book.get("zero-filled") in small.viewer.layers


def camera_of(bench):
    return getattr(bench.viewer, "scene", bench.viewer).camera


def seen_by_the_camera(bench) -> np.ndarray:
    """Height and width of the canvas, in the units of the world."""
    canvas = np.array(bench.viewer.window._qt_viewer.canvas.size, dtype=float)
    return canvas / camera_of(bench).zoom


def test_a_scan_of_another_size_is_shown_whole(small, until):
    small.viewer.window._qt_window.show()
    scan = simulate_scan(shepp_logan((96, 80)), coils=4, noise=0.01)
    small.loader.take(InMemoryScan("larger", (scan,)))
    until(lambda: small.book.get("zero-filled") is not None and small.book.get("zero-filled").data.shape == (96, 80))
    layer = small.book.get("zero-filled")
    size = layer.extent.world[1, -2:] - layer.extent.world[0, -2:]
    until(lambda: (seen_by_the_camera(small) >= size).all())
    np.testing.assert_allclose(camera_of(small).center[-2:], layer.extent.world[:, -2:].mean(axis=0), atol=2)


def test_flat_layers_are_fitted_alone_while_there_are_deeper_ones(small):
    small.viewer.window._qt_window.show()
    layer = small.book.get("zero-filled")
    deep = small.viewer.add_image(np.zeros((3, 400, 400)), name="deep")
    deep.visible = False
    small.camera.fit([layer])
    size = layer.extent.world[1, -2:] - layer.extent.world[0, -2:]
    share = float((size / seen_by_the_camera(small)).max())
    assert 0.6 < share <= 1.0
    np.testing.assert_allclose(camera_of(small).center[-2:], layer.extent.world[:, -2:].mean(axis=0), atol=2)


def test_a_cancelled_run_has_its_figures_to_the_end(small, until):
    small.session.settings = small.session.settings.from_dict({**small.session.settings.to_dict(), "iterations": 3000})
    small.start(Phase.RUNNING)
    until(lambda: small.session.status.iteration >= 3)
    small.cancel()
    until(lambda: small.session.status.phase is Phase.STOPPED)
    until(lambda: small.session.trace and small.session.trace[-1].iteration == small.session.status.iteration)


def test_pictures_of_a_run_that_was_reset_say_so(small, until):
    small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED)
    name = small.book.get("image").name
    small.reset()
    until(lambda: small.session.status.phase is Phase.IDLE)
    assert small.book.get("image").name == f"{name}, earlier run"
    small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED)
    assert small.book.get("image").name == name
