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


def test_views_that_have_something_to_show_are_named_even_where_there_is_little_room(qtbot):
    names = ("Image", "Sampling", "Run", "Compare", "Denoise", "Recording")
    bar = ViewBar(names)
    qtbot.addWidget(bar)
    bar.show_state("Image", "", {"Compare": "-", "Denoise": "-"}, [], None)
    bar.resize(bar.tabs.sizeHint().width(), 40)
    bar.show()
    qtbot.waitExposed(bar)
    visible = [name for place, name in enumerate(names) if bar.tabs.isTabVisible(place)]
    assert {"Image", "Sampling", "Run", "Recording"} <= set(visible)
    assert "Denoise" not in visible
    bar.resize(1200, 40)
    assert all(bar.tabs.isTabVisible(place) for place in range(len(names)))
