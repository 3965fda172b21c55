"""A dock that was closed comes back behind its tab."""

from __future__ import annotations

import pytest
from napari._app_model import get_app_model
from qtpy.QtWidgets import QDockWidget

from napari_pogmdm.gui.arrangement import open_workbench
from napari_pogmdm.gui.core.preferences import PLUGIN


@pytest.mark.parametrize(("name", "neighbour"), [("Model", "Data"), ("Trace", "Compare")])
def test_a_dock_that_is_opened_again_is_a_tab_beside_the_others_of_its_place(workbench, until, name, neighbour):
    viewer = workbench.viewer
    viewer.window.show()
    open_workbench(viewer)
    docks, window = viewer.window._wrapped_dock_widgets, viewer.window._qt_window

    def beside() -> list[QDockWidget]:
        return window.tabifiedDockWidgets(docks[f"{neighbour} (PoGMDM)"])

    before = docks[f"{name} (PoGMDM)"]
    viewer.window.remove_dock_widget(before)
    until(lambda: f"{name} (PoGMDM)" not in docks)
    get_app_model().commands.execute_command(f"{PLUGIN}.{name.lower()}").result()
    until(lambda: docks.get(f"{name} (PoGMDM)") in beside())
    assert docks[f"{name} (PoGMDM)"] is not before
