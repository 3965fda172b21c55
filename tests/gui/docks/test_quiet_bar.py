from __future__ import annotations

from napari_pogmdm.gui.docks.quiet_bar import QuietBar


def colours(bar: QuietBar) -> int:
    picture = bar.grab().toImage()
    return len({picture.pixel(x, y) for x in range(0, picture.width(), 3) for y in range(picture.height())})


def test_an_empty_bar_is_not_seen_until_there_is_progress_or_a_word(qtbot):
    bar = QuietBar()
    qtbot.addWidget(bar)
    bar.resize(90, 20)
    bar.setRange(0, 10)
    bar.setFormat("")
    assert (bar.silent, colours(bar)) == (True, 1)
    bar.setFormat("waiting")
    assert not bar.silent
    assert colours(bar) > 1
    bar.setFormat("")
    bar.setValue(4)
    assert not bar.silent
    assert colours(bar) > 1
    bar.setTextVisible(False)
    bar.setFormat("unseen")
    bar.setValue(0)
    assert bar.silent
