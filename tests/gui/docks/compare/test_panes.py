from __future__ import annotations

from qtpy.QtWidgets import QLabel

from napari_pogmdm.gui.docks.compare.panes import Panes


def test_pages_stand_among_the_tables_where_it_is_narrow(qtbot):
    results, region = QLabel("results"), QLabel("region")
    panes = Panes(QLabel("methods"), {"Methods": results}, {"Region": region})
    qtbot.addWidget(panes)
    panes.resize(1200, 200)
    panes.show()
    assert not panes.narrow
    assert panes.tables.indexOf(region) < 0
    panes.resize(500, 200)
    qtbot.waitUntil(lambda: panes.narrow)
    assert panes.tables.indexOf(region) == 1
    assert panes.tables.currentWidget() is results
    panes.tables.setCurrentWidget(region)
    panes.resize(1200, 200)
    qtbot.waitUntil(lambda: not panes.narrow)
    assert panes.tables.indexOf(region) < 0
    assert region.isVisible()
