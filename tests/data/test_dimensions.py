from __future__ import annotations

from types import SimpleNamespace

from napari_pogmdm.data.dimensions import counters_of, dimensions_of, index_of, middle_of, words_of


class Listed(list):
    name = "listed"


def test_images_are_numbered_slices_first():
    scan = SimpleNamespace(name="many", dimensions={"slice": 5, "contrast": 2, "repetition": 3})
    for index in range(30):
        assert index_of(scan, counters_of(scan, index)) == index
    assert counters_of(scan, 7) == {"slice": 2, "contrast": 1, "repetition": 0}
    assert words_of(scan, 7) == "slice 2, contrast 1, repetition 0"
    assert middle_of(scan) == 2


def test_a_scan_that_says_nothing_has_slices():
    assert dimensions_of(Listed(range(4))) == {"slice": 4}
    assert middle_of(Listed(range(4))) == 2
