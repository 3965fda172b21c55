from __future__ import annotations

import numpy as np

from napari_pogmdm.gui.docks.sampling.edit import Edit, ranges


def test_neighbours_are_written_as_ranges():
    assert ranges(np.array([3, 7, 8, 9])) == "3, 7 to 9"


def test_alike_changes_become_one_sentence_while_it_is_short():
    first, second = Edit("painted", "columns", (3, 4)), Edit("painted", "columns", (5, 9))
    assert str(first.joined(second)) == "painted columns 3 to 5, 9"
    assert first.joined(Edit("erased", "columns", (5,))) is None
    assert first.joined(Edit("painted", "columns", tuple(range(0, 60, 2)))) is None
