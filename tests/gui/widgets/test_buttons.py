from __future__ import annotations

import pytest
from qtpy.QtCore import Qt

from napari_pogmdm.gui.widgets.buttons import button


@pytest.mark.parametrize(("text", "said"), [("&Open …", "Open"), ("Sa&ve...", "Save"), ("▶|", "Last frame (End)")])
def test_a_screen_reader_says_the_text_or_what_a_sign_means(qtbot, text, said):
    made = button(text, "Last frame (End)", "last")
    qtbot.addWidget(made)
    assert made.accessibleName() == said
    assert made.toolTip() == "Last frame (End)"
    assert made.objectName() == "last"


def test_a_click_may_leave_the_focus_to_the_image(qtbot):
    for takes_focus in (True, False):
        made = button("&Play", "Go on", takes_focus=takes_focus)
        qtbot.addWidget(made)
        assert bool(made.focusPolicy() & Qt.FocusPolicy.ClickFocus) == takes_focus
