"""Docks are opened once, by napari's menu or by the workbench, and each finds those of the other."""

from __future__ import annotations

import pytest
from napari._app_model import get_app_model
from npe2 import PluginManager
from qtpy.QtWidgets import QDockWidget

from napari_pogmdm.gui.arrangement import BOTTOM, LEFT, RIGHT, open_workbench, reveal
from napari_pogmdm.gui.core.preferences import PLUGIN


def widgets_of_the_manifest() -> list[str]:
    return [widget.display_name for widget in PluginManager.instance().get_manifest(PLUGIN).contributions.widgets]


def open_docks(viewer) -> set[str]:
    return {name.split(" (")[0] for name in viewer.window.dock_widgets if name.endswith("(PoGMDM)")}


def tabs_beside(viewer, name: str) -> set[str]:
    window = viewer.window._qt_window
    dock = next(dock for dock in window.findChildren(QDockWidget) if dock.windowTitle() == name)
    return {other.windowTitle() for other in window.tabifiedDockWidgets(dock)}


def test_the_menu_opens_all_docks_once(workbench, until):
    viewer = workbench.viewer
    assert set(widgets_of_the_manifest()) == {"Workbench", *RIGHT, *BOTTOM, *LEFT}
    commands = get_app_model().commands
    commands.execute_command(f"{PLUGIN}.data").result()  # one that is open already is taken along
    before = viewer.window.dock_widgets["Data (PoGMDM)"]
    commands.execute_command(f"{PLUGIN}.workbench").result()
    until(lambda: open_docks(viewer) == {*RIGHT, *BOTTOM, *LEFT})
    assert viewer.window.dock_widgets["Data (PoGMDM)"] is before
    assert tabs_beside(viewer, "Data") == set(RIGHT) - {"Data"}
    assert tabs_beside(viewer, "Trace") == set(BOTTOM) - {"Trace"}
    open_workbench(viewer)
    assert viewer.window.dock_widgets["Data (PoGMDM)"] is before


@pytest.mark.parametrize("name", ["Model", "Denoise"])
def test_a_dock_of_the_menu_is_the_one_that_the_workbench_brings_to_the_front(workbench, name):
    viewer = workbench.viewer
    get_app_model().commands.execute_command(f"{PLUGIN}.{name.lower()}").result()
    reveal(viewer, name)
    assert list(viewer.window.dock_widgets) == [f"{name} (PoGMDM)"]
    shells = [dock for dock in viewer.window._qt_window.findChildren(QDockWidget) if dock.windowTitle() == name]
    assert len(shells) == 1


def test_the_menu_hides_a_dock_that_the_workbench_opened(workbench):
    viewer = workbench.viewer
    viewer.window.show()
    reveal(viewer, "Model")
    dock = viewer.window._wrapped_dock_widgets["Model (PoGMDM)"]
    assert not dock.isHidden()
    get_app_model().commands.execute_command(f"{PLUGIN}.model").result()
    assert dock.isHidden()
    assert list(viewer.window.dock_widgets) == ["Model (PoGMDM)"]


def test_a_dock_can_be_revealed_by_name(workbench):
    reveal(workbench.viewer, "Model")
    assert open_docks(workbench.viewer) == {"Model"}
