from __future__ import annotations

from napari_pogmdm.gui.docks.combo import Combo


def test_a_text_without_room_ends_in_dots(qtbot):
    combo = Combo()
    qtbot.addWidget(combo)
    combo.addItem("Cartesian, random lines")
    combo.resize(400, 30)
    combo.show()
    assert combo.shown_text() == "Cartesian, random lines"
    combo.resize(110, 30)
    assert combo.shown_text().endswith("…")
    assert combo.shown_text().startswith("Cart")
    combo.grab()
    combo.setPlaceholderText("none")
    combo.setCurrentIndex(-1)
    assert combo.shown_text() == "none"
