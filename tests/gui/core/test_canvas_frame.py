from __future__ import annotations

import pytest

from napari_pogmdm.gui.core.canvas_frame import number_text
from napari_pogmdm.runs.status import Phase


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.0, "0"), (-1e-12, "-1e-12"), (3.14159265, "π"), (-3.1416, "-π"), (20.0, "20"), (0.1234, "0.123")],
)
def test_numbers_of_a_colour_bar(value, text):
    assert number_text(value) == text


def test_the_bar_stands_above_the_canvas_and_switches(small, until):
    frame, native = small.frame, small.viewer.window._qt_viewer.canvas.native
    column = native.parentWidget().layout()
    assert column.indexOf(frame.bar) < column.indexOf(native)
    assert not frame.bar.tabs.isTabVisible(frame.bar.tabs.count() - 1)  # no lesson is under way
    small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED)
    frame.refresh()
    assert frame.bar.tabs.currentIndex() == 2
    frame.bar.tabs.setCurrentIndex(0)
    assert small.canvas.shown == "Image"


def test_errors_have_a_bar_in_hundredths_of_white_and_the_coil_slider_goes_with_the_coils(small, until):
    small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED)
    small.book.ask("error")
    small.book.ask("coil magnitude")
    until(lambda: len(small.canvas.panels()) == 3)
    small.frame.refresh()
    bars = {label.title.split(",")[0]: label.bar for label in small.frame.overlay.labels}
    assert bars["reconstruction |x| RSS(s)"] is None
    assert (bars["error |x - reference|"].low, bars["error |x - reference|"].high) == ("0", "20 %")
    sliders = small.viewer.window._qt_viewer.dims
    assert not sliders.isHidden()
    small.canvas.show("Image")
    small.frame.refresh()
    assert sliders.isHidden()


def test_a_marked_place_has_a_cross_in_every_panel_and_no_layer(small, until):
    small.canvas.choose("Image", "reference")
    until(lambda: len(small.canvas.panels()) == 2)
    before = len(small.viewer.layers)
    small.frame.mark((10.0, 12.0))
    small.frame.refresh()
    assert [label.mark is not None for label in small.frame.overlay.labels] == [True, True]
    assert len(small.viewer.layers) == before
    small.frame.mark(None)
    small.frame.refresh()
    assert not any(label.mark for label in small.frame.overlay.labels)


def test_the_bar_says_what_is_seen_in_every_view(small):
    frame, canvas = small.frame, small.canvas
    frame.refresh()
    tips = {name: frame.bar.tabs.tabToolTip(place) for place, name in enumerate(canvas.views)}
    assert "zero-filled" in tips["Image"]
    assert tips["Run"] == canvas.views["Run"].hint  # nothing is seen there yet
    assert all(view.about.endswith(".") for view in canvas.views.values())


def test_a_colour_bar_follows_the_contrast_whoever_changes_it(small, until):
    small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED)
    small.book.ask("coil magnitude")
    until(lambda: len(small.canvas.panels()) == 2)
    small.frame.refresh()
    small.book.get("coil magnitude").contrast_limits = (0.0, 0.5)
    small.frame.catch_up()
    assert [label.bar.high for label in small.frame.overlay.labels if label.bar is not None] == ["0.5"]
