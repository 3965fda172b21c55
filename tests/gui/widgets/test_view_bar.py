from __future__ import annotations

from napari_pogmdm.gui.widgets.view_bar import ViewBar


def test_it_says_what_is_seen_offers_what_could_be_and_tells_of_clicks(qtbot):
    bar = ViewBar(("Image", "Run", "Lesson"))
    qtbot.addWidget(bar)
    heard = []
    bar.chosen.connect(heard.append)
    bar.show_state("Image", "Run", {}, ["Lesson"], None)
    assert heard == []
    assert bar.tabs.tabText(1) == "Run •"
    assert not bar.tabs.isTabVisible(2)
    assert not bar.side_by_side.isEnabled()
    bar.tabs.setCurrentIndex(1)
    assert heard == ["Run"]
    bar.show_state("Image", "", {"Run": "Press Run."}, [], "grid")
    assert not bar.tabs.isTabEnabled(1)
    assert bar.tabs.tabToolTip(1) == "Press Run."
    assert bar.side_by_side.isChecked()
