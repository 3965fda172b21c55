from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.layers.view import Arrangement


@pytest.fixture
def two(small, until):
    """The zero-filled and the fully sampled image side by side."""
    small.canvas.choose("Image", "reference")
    until(lambda: len(small.canvas.panels()) == 2)
    return small


def test_flicker_shows_one_after_the_other_in_one_place(two):
    both = two.canvas.panels()
    seen = []
    for _ in range(3):
        two.hands.pair.flicker()
        seen.extend(two.canvas.panels())
    assert two.canvas.view.arrangement is Arrangement.ONE
    assert seen[0] is not seen[1]
    assert seen[0] is seen[2]
    assert set(seen) == set(both)


def test_a_difference_has_a_scale_and_follows_what_it_is_made_of(two, until):
    zero_filled, reference = two.canvas.panels()
    two.hands.pair.subtract()
    layer = two.book.get("difference")
    assert two.canvas.panels() == [zero_filled, reference, layer]
    np.testing.assert_allclose(layer.data, zero_filled.data - reference.data, rtol=1e-6)
    two.frame.refresh()
    bar = two.frame.overlay.labels[2].bar
    assert (bar.low, bar.high) == ("-10", "10 %")
    two.book.show("zero-filled", np.zeros_like(zero_filled.data))
    two.canvas.touch()
    np.testing.assert_allclose(layer.data, -reference.data, rtol=1e-6)
    two.hands.pair.subtract()
    assert two.canvas.panels() == [zero_filled, reference]


def test_a_swipe_has_one_image_on_either_side_of_the_mouse_with_both_titles(two):
    zero_filled, reference = two.canvas.panels()
    two.frame.bar.swipe.click()
    (mixed,) = two.canvas.panels()
    columns = mixed.data.shape[1]
    for share in (0.25, 0.75):
        two.hands.pair.move_border(share)
        border = round(share * columns)
        np.testing.assert_array_equal(mixed.data[:, :border], zero_filled.data[:, :border])
        np.testing.assert_array_equal(mixed.data[:, border:], reference.data[:, border:])
    two.frame.refresh()
    left, right = two.frame.overlay.labels
    assert left.title.startswith("zero-filled")
    assert right.title.startswith("fully sampled")
    assert left.left + left.width == pytest.approx(right.left)
    two.book.show("zero-filled", np.zeros_like(zero_filled.data))
    two.canvas.touch()
    assert not mixed.data[:, :border].any()
    two.frame.bar.swipe.click()
    assert two.canvas.panels() == [zero_filled, reference]


def test_the_border_follows_the_mouse_over_the_canvas(two):
    from types import SimpleNamespace

    two.hands.pair.swipe()
    (mixed,) = two.canvas.panels()
    where = tuple(mixed.data_to_world((3, 10)))
    two.hands._hovered(two.viewer, SimpleNamespace(position=where, dims_displayed=(0, 1)))
    assert two.hands.pair.border == pytest.approx(10.5 / mixed.data.shape[1])
