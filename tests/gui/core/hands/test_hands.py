from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest


@pytest.fixture
def two(small, until):
    """The zero-filled and the fully sampled image side by side."""
    small.canvas.choose("Image", "reference")
    until(lambda: len(small.canvas.panels()) == 2)
    return small


def test_the_mouse_reads_all_panels_at_once(two):
    zero_filled, reference = two.canvas.panels()
    world = tuple(reference.data_to_world((20, 13)))
    event = SimpleNamespace(position=world, dims_displayed=(0, 1))
    two.viewer.mouse_over_canvas = True
    two.hands._hovered(two.viewer, event)
    two.frame.refresh()
    read = [float(label.value) for label in two.frame.overlay.labels]
    expected = [zero_filled.data[20, 13], reference.data[20, 13]]
    np.testing.assert_allclose(read, expected, rtol=6e-3)
    two.viewer.mouse_over_canvas = False
    two.frame.refresh()
    assert [label.value for label in two.frame.overlay.labels] == ["", ""]
    two.viewer.mouse_over_canvas = True
    two.hands._hovered(two.viewer, SimpleNamespace(position=(-500.0, -500.0), dims_displayed=(0, 1)))
    two.frame.refresh()
    assert [label.value for label in two.frame.overlay.labels] == ["", ""]


def test_control_and_the_mouse_set_window_and_level_of_the_panel_below(two):
    first = two.canvas.cells()[0]
    low, high = first.layer.contrast_limits
    start = (first.left + 5, first.top + 5)
    event = SimpleNamespace(pos=start, modifiers=("Control",), button=1, type="mouse_press")
    drag = two.hands._window_and_level(two.viewer, event)
    next(drag)
    event.pos, event.type = (start[0] + 300, start[1]), "mouse_move"
    next(drag)
    wider = first.layer.contrast_limits
    assert wider[1] - wider[0] == pytest.approx(2 * (high - low))
    assert sum(wider) == pytest.approx(low + high)
    plain = SimpleNamespace(pos=start, modifiers=(), button=1, type="mouse_press")
    assert list(two.hands._window_and_level(two.viewer, plain)) == []


def test_there_is_a_scale_bar_where_the_scan_tells_the_size_of_its_pixels(two):
    from dataclasses import replace

    bar = two.viewer.canvas.overlays.scale_bar
    two.book.set_geometry(replace(two.book.geometry, pixel=(0.9, 0.8)))
    two.canvas.touch()
    assert bar.visible
    two.hands.toggle_scale_bar()
    assert not bar.visible
    two.hands.toggle_scale_bar()
    two.book.set_geometry(replace(two.book.geometry, pixel=(1.0, 1.0)))
    two.canvas.touch()
    assert not bar.visible


def test_a_card_lists_every_key_that_is_bound_here(two, qtbot):
    from qtpy.QtCore import Qt

    card = two.hands.card
    two.viewer.window._qt_window.show()
    qtbot.keyClicks(two.viewer.window._qt_viewer.canvas.native, "?")
    assert card.isVisible()
    listed = card.words.text()
    for key in two.hands._keys._before:
        assert ("?" if key == "F1" else key) in listed
    qtbot.mouseClick(card, Qt.MouseButton.LeftButton)
    assert not card.isVisible()
