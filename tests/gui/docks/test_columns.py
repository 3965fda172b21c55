from __future__ import annotations

from qtpy.QtWidgets import QCheckBox

from napari_pogmdm.gui.docks.columns import Columns


def test_widgets_stand_beside_each_other_only_where_none_is_cut_off(qtbot):
    boxes = [QCheckBox(text) for text in ("short", "a much longer text than that", "middling")]
    columns = Columns(boxes, most=2)
    qtbot.addWidget(columns)
    widest = max(box.sizeHint().width() for box in boxes)
    columns.resize(2 * widest + 20, 100)
    columns.show()
    qtbot.waitUntil(lambda: columns.columns == 2)
    columns.resize(widest + 20, 100)
    qtbot.waitUntil(lambda: columns.columns == 1)
    qtbot.waitUntil(lambda: all(box.width() >= box.sizeHint().width() for box in boxes))
    assert columns.minimumSizeHint().width() == widest
