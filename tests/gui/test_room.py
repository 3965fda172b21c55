"""On a projector of 1280 x 720 with large letters, no word of any dock is cut off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from napari.settings import get_settings
from qtpy.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDockWidget,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSlider,
    QWidget,
)

from napari_pogmdm.gui.arrangement import BOTTOM, LEFT, RIGHT, open_workbench, reveal
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.combo import Combo
from napari_pogmdm.gui.presenter import Presenter
from napari_pogmdm.gui.room import let_scroll, room_of
from napari_pogmdm.gui.widgets.readout import Readout

PROJECTOR = (1280, 720)


@pytest.fixture(params=[9, 16])
def letters(request) -> Iterator[int]:
    appearance = get_settings().appearance
    before, appearance.font_size = appearance.font_size, request.param
    yield request.param
    appearance.font_size = before


def cut_off(root: QWidget) -> list[str]:
    """Name what is seen of a part of the window, but not whole."""
    return [
        f"{type(widget).__name__} {_words(widget)!r}: {trouble}"
        for widget in root.findChildren(QWidget)
        if widget.isVisible() and not widget.visibleRegion().isEmpty()
        for trouble in _troubles(widget)
    ]


def _words(widget: QWidget) -> str:
    return str(getattr(widget, "text", getattr(widget, "currentText", str))())[:60]


def _troubles(widget: QWidget) -> Iterator[str]:
    wanted, size = widget.sizeHint(), widget.size()
    if isinstance(widget, QLabel | QAbstractButton) and _words(widget):
        wrapped = isinstance(widget, QLabel) and widget.wordWrap()
        if wrapped and widget.heightForWidth(size.width()) > size.height() + 1:
            yield f"{size.height()} high, not {widget.heightForWidth(size.width())}"
        elif not wrapped and (wanted.width() > size.width() + 1 or wanted.height() > size.height() + 2):
            yield f"{size.width()} x {size.height()}, not {wanted.width()} x {wanted.height()}"
    if isinstance(widget, QAbstractSpinBox | QComboBox):
        field = widget.findChild(QLineEdit)
        room = widget.width() if field is None else field.width()
        needed = 0 if isinstance(widget, Combo) else widget.fontMetrics().horizontalAdvance(_words(field or widget))
        if room < needed or size.height() < widget.fontMetrics().height():
            yield f"{room} of {needed} pixels"
    if isinstance(widget, QLabel | QAbstractButton | QComboBox | QSlider | QLineEdit | Readout):
        seen = widget.visibleRegion().boundingRect().width()
        if seen < size.width() - 2:
            yield f"{seen} of {size.width()} pixels are seen"


def wrong_with(dock: Dock) -> list[str]:
    """Name what is cut off in a dock, and by how much it would have to be moved sideways."""
    bar = dock.horizontalScrollBar()
    return cut_off(dock) + ([f"scrolls by {bar.maximum()} pixels"] if bar.maximum() else [])


def test_no_word_of_any_dock_is_cut_off_on_a_projector(small, letters, until, qtbot):
    viewer = small.viewer
    window = viewer.window._qt_window
    window.resize(*PROJECTOR)
    window.show()
    open_workbench(viewer)
    docks = {dock.heading: dock for dock in window.findChildren(Dock)}
    assert set(docks) == {*RIGHT, *BOTTOM, *LEFT}
    for name, dock in docks.items():
        reveal(viewer, name)
        until(lambda dock=dock: not dock.visibleRegion().isEmpty())
        with suppress(qtbot.TimeoutError):  # layouts settle one after the other
            until(lambda dock=dock: not wrong_with(dock), 3.0)
        assert wrong_with(dock) == [], f"{name} at {letters} points"
    with suppress(qtbot.TimeoutError):
        until(lambda: not cut_off(small.frame.bar), 3.0)
    assert cut_off(small.frame.bar) == []
    assert window.width() == PROJECTOR[0]
    assert small.frame.overlay.width() > 0.33 * window.width()  # pictures are what a window is for


def test_no_word_of_the_strip_below_a_lesson_is_cut_off(small, letters, until, qtbot):
    window = small.viewer.window._qt_window
    window.resize(*PROJECTOR)
    window.show()
    open_workbench(small.viewer)
    tour = next(dock for dock in window.findChildren(Dock) if dock.heading == "Tour")
    reveal(small.viewer, "Tour")
    tour.came_to_front()
    presenter = Presenter.of(small.viewer)
    presenter.toggle()
    for number in range(tour.choice.count()):
        tour.choice.setCurrentIndex(number)
        with suppress(qtbot.TimeoutError):
            until(lambda: not wrong_with(tour), 3.0)
        assert wrong_with(tour) == [], tour.choice.currentText()
    assert tour.choice.shown_text()[:1].isdigit()
    presenter.toggle()


def test_larger_letters_give_docks_more_room_and_titles_stay_whole(small, until):
    appearance = get_settings().appearance
    window = small.viewer.window._qt_window
    window.resize(1500, 900)
    window.show()
    open_workbench(small.viewer)
    room, sampler = room_of(window), next(dock for dock in window.findChildren(Dock) if dock.heading == "Sampler")
    before, wide, low = appearance.font_size, sampler.width(), room.bottom_height
    assert not room.narrow
    appearance.font_size = 16
    try:
        until(lambda: sampler.width() > wide)
        assert room.narrow
        assert room.bottom_height > low
        for dock in window.findChildren(QDockWidget):
            title = getattr(dock.titleBarWidget(), "title", None)
            assert title is None or not title.isVisible() or title.height() >= title.sizeHint().height(), title.text()
    finally:
        appearance.font_size = before


def test_what_is_in_a_dock_scrolls_instead_of_widening_it(qtbot):
    dock, content = QDockWidget(), QWidget()
    qtbot.addWidget(dock)
    content.setMinimumWidth(700)
    dock.setWidget(content)
    let_scroll(dock)
    area = dock.widget()
    assert isinstance(area, QScrollArea)
    assert area.minimumSizeHint().width() < 200
    let_scroll(dock)
    assert dock.widget() is area
    assert area.widget() is content
