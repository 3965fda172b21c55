from __future__ import annotations

import pytest
from qtpy.QtWidgets import QLabel

from napari_pogmdm.gui.widgets.collapsible import Collapsible


@pytest.mark.parametrize("unfolded", [False, True])
def test_its_arrow_says_whether_it_is_unfolded(qtbot, unfolded):
    part = Collapsible("More", QLabel("content"), unfolded)
    qtbot.addWidget(part)
    assert part.isExpanded() == unfolded
    assert part.text() == ("▾  More" if unfolded else "▸  More")
    part.collapse() if unfolded else part.expand()
    assert part.text() == ("▸  More" if unfolded else "▾  More")
