from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from napari_pogmdm.gui.docks.inspector.pages.page import names_of
from napari_pogmdm.gui.docks.inspector.pages.potential_panel import PotentialPanel


def test_two_models_of_one_name_can_be_told_apart():
    views = [SimpleNamespace(name=name) for name in ("flf-tc", "flf-tc")]
    assert names_of(views) == ["flf-tc", "flf-tc, second"]
    assert names_of(views[:1]) == ["flf-tc"]


def test_a_response_that_rounds_to_nothing_has_no_minus(make_napari_viewer, qtbot):
    panel = PotentialPanel(make_napari_viewer())
    qtbot.addWidget(panel)
    panel.show_pixel(np.array([-0.0001, -0.01]))
    assert [panel.pixel_note(number) for number in (0, 1)] == ["+0.000", "-0.010"]
