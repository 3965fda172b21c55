from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from napari_pogmdm.gui.layers.view import Arrangement


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
    two._hands._hovered(two.viewer, event)
    two.frame.refresh()
    read = [float(label.value) for label in two.frame.overlay.labels]
    expected = [zero_filled.data[20, 13], reference.data[20, 13]]
    np.testing.assert_allclose(read, expected, rtol=6e-3)
    two.viewer.mouse_over_canvas = False
    two.frame.refresh()
    assert [label.value for label in two.frame.overlay.labels] == ["", ""]
    two.viewer.mouse_over_canvas = True
    two._hands._hovered(two.viewer, SimpleNamespace(position=(-500.0, -500.0), dims_displayed=(0, 1)))
    two.frame.refresh()
    assert [label.value for label in two.frame.overlay.labels] == ["", ""]


def test_control_and_the_mouse_set_window_and_level_of_the_panel_below(two):
    first = two.canvas.cells()[0]
    low, high = first.layer.contrast_limits
    start = (first.left + 5, first.top + 5)
    event = SimpleNamespace(pos=start, modifiers=("Control",), button=1, type="mouse_press")
    drag = two._hands._window_and_level(two.viewer, event)
    next(drag)
    event.pos, event.type = (start[0] + 300, start[1]), "mouse_move"
    next(drag)
    wider = first.layer.contrast_limits
    assert wider[1] - wider[0] == pytest.approx(2 * (high - low))
    assert sum(wider) == pytest.approx(low + high)
    plain = SimpleNamespace(pos=start, modifiers=(), button=1, type="mouse_press")
    assert list(two._hands._window_and_level(two.viewer, plain)) == []


def test_flicker_shows_one_after_the_other_in_one_place(two):
    both = two.canvas.panels()
    seen = []
    for _ in range(3):
        two._hands.flicker()
        seen.extend(two.canvas.panels())
    assert two.canvas.view.arrangement is Arrangement.ONE
    assert seen[0] is not seen[1]
    assert seen[0] is seen[2]
    assert set(seen) == set(both)


def test_a_difference_has_a_scale_and_follows_what_it_is_made_of(two, until):
    zero_filled, reference = two.canvas.panels()
    two._hands.subtract()
    layer = two.book.get("difference")
    assert two.canvas.panels() == [zero_filled, reference, layer]
    np.testing.assert_allclose(layer.data, zero_filled.data - reference.data, rtol=1e-6)
    two.frame.refresh()
    bar = two.frame.overlay.labels[2].bar
    assert (bar.low, bar.high) == ("-10", "10 %")
    two.book.show("zero-filled", np.zeros_like(zero_filled.data))
    two.canvas.touch()
    np.testing.assert_allclose(layer.data, -reference.data, rtol=1e-6)
    two._hands.subtract()
    assert two.canvas.panels() == [zero_filled, reference]
