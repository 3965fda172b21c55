"""Presenter mode shows pictures and the Tour, and brings everything back."""

from __future__ import annotations

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QDockWidget

from napari_pogmdm.gui.arrangement import open_workbench, reveal
from napari_pogmdm.gui.docks.tour.dock import TourDock
from napari_pogmdm.gui.presenter import FIGURE_DOCK, Presenter


def test_one_key_leaves_pictures_and_tour_and_brings_all_back(workbench, until):
    viewer = workbench.viewer
    open_workbench(viewer)
    window = viewer.window._qt_window
    window.show()
    tour = window.findChildren(TourDock)[0]
    tour.came_to_front()
    presenter = Presenter.of(viewer)
    before = {dock.windowTitle() for dock in window.findChildren(QDockWidget) if not dock.isHidden()}

    presenter.toggle()
    shown = [dock for dock in window.findChildren(QDockWidget) if not dock.isHidden()]
    assert [dock.windowTitle() for dock in shown] == ["Tour"]
    assert window.menuBar().isHidden()
    tour.guide.figures.show("toy-score")
    assert not window.findChild(QDockWidget, FIGURE_DOCK).isHidden()
    until(lambda: shown[0].width() >= 0.95 * window.width())  # a wide strip

    presenter.toggle()
    until(lambda: {dock.windowTitle() for dock in window.findChildren(QDockWidget) if not dock.isHidden()} >= before)
    assert not window.menuBar().isHidden()
    tour.guide.figures.show("off")


def test_a_dock_that_a_lesson_speaks_of_stands_beside_the_pictures_and_goes_home(workbench, until):
    viewer = workbench.viewer
    open_workbench(viewer)
    window = viewer.window._qt_window
    window.resize(1280, 720)
    window.show()
    inspector = next(dock for dock in window.findChildren(QDockWidget) if dock.windowTitle() == "Inspector")
    presenter = Presenter.of(viewer)
    presenter.toggle()
    reveal(viewer, "Inspector")
    assert window.dockWidgetArea(inspector) == Qt.DockWidgetArea.RightDockWidgetArea
    until(lambda: inspector.width() >= 0.45 * window.width())
    reveal(viewer, "Data")  # only what is looked at
    shown = {dock.windowTitle() for dock in window.findChildren(QDockWidget) if not dock.isHidden()}
    assert shown == {"Inspector", "Tour"}
    presenter.toggle()
    assert window.dockWidgetArea(inspector) == Qt.DockWidgetArea.BottomDockWidgetArea
