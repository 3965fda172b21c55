"""Where the axis of bars begins and ends, and how names stand below them."""

from __future__ import annotations

import math

from napari_pogmdm.gui.docks.tour.figures.bars import broken, floor_and_top


def test_all_bars_are_seen_and_small_differences_stay_small():
    floor, top = floor_and_top([33.2, 34.0, math.nan])
    assert floor <= 32.2
    assert top > 34.0
    low, high = floor_and_top([33.2, 33.21])
    assert high - low >= 2
    assert floor_and_top([math.nan]) == (0.0, 1.0)


def test_names_are_broken_between_words_and_keep_their_own_lines():
    assert broken("A third of the lines\nresidual 7.7\u00a0%", 12, len) == "A third of\nthe lines\nresidual\n7.7\u00a0%"
    assert broken("chain 1", 100, len) == "chain 1"
    assert broken("indivisible", 3, len) == "indivisible"
