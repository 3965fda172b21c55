from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from qtpy.QtCore import Qt


@pytest.fixture
def two(small, until):
    """The zero-filled and the fully sampled image side by side."""
    small.canvas.choose("Image", "reference")
    until(lambda: len(small.canvas.panels()) == 2)
    return small


def dragged(measure, keys, start, end) -> None:
    event = SimpleNamespace(position=start, modifiers=keys, button=1, type="mouse_press")
    drag = measure.drag(None, event)
    next(drag)
    event.position, event.type = end, "mouse_move"
    next(drag)


def test_shift_and_the_mouse_draw_a_profile_through_all_panels(two, qtbot, tmp_path):
    measure = two.hands.measure
    zero_filled, reference = two.canvas.panels()
    start, end = (tuple(reference.data_to_world(place)) for place in ((10, 5), (10, 25)))
    dragged(measure, ("Shift",), start, end)
    two.frame.refresh()
    assert all(len(label.lines) == 1 for label in two.frame.overlay.labels)
    curves = {item.name(): item.getData()[1] for item in measure.card.plot.getPlotItem().listDataItems()}
    assert list(curves) == ["zero-filled", "fully sampled"]
    np.testing.assert_allclose(curves["fully sampled"], reference.data[10, 5:26], rtol=1e-5)
    np.testing.assert_allclose(curves["zero-filled"], zero_filled.data[10, 5:26], rtol=1e-5)
    measure.card.save_as(tmp_path / "profile.csv")
    assert (tmp_path / "profile.csv").read_text().count("fully sampled") == 21
    qtbot.mouseClick(measure.card.shut, Qt.MouseButton.LeftButton)
    two.frame.refresh()
    assert not measure.card.isVisible()
    assert all(not label.lines for label in two.frame.overlay.labels)


def test_two_regions_give_contrast_to_noise_of_every_panel_and_a_third_begins_anew(two):
    measure = two.hands.measure
    places = [tuple(two.canvas.panels()[0].data_to_world(place)) for place in ((5, 5), (12, 12), (20, 20), (30, 30))]
    keys = ("Shift", "Control")
    dragged(measure, keys, places[0], places[1])
    assert len(measure.regions) == 1
    assert "CNR" not in measure.card.words.text().split("<small>")[0]
    dragged(measure, keys, places[2], places[3])
    assert len(measure.regions) == 2
    assert "CNR" in measure.card.words.text()
    assert measure.card.words.text().count("<tr>") == 3
    dragged(measure, keys, places[2], places[3])
    assert len(measure.regions) == 1
    measure.clear()
    two.viewer.add_labels(np.zeros((8, 8), int)).mode = "paint"
    drawing = SimpleNamespace(position=places[0], modifiers=keys, button=1, type="mouse_press")
    assert list(measure.drag(None, drawing)) == []
    plain = SimpleNamespace(position=places[0], modifiers=(), button=1, type="mouse_press")
    assert list(measure.drag(None, plain)) == []
