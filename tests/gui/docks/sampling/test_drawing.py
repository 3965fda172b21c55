from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.sampling.brush import Brush, Symmetry
from napari_pogmdm.gui.docks.sampling.drawing import DEPTH, MOST_SENTENCES, Drawing
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.physics.masks.record import mask_from_record, mask_to_record
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe

SHAPE = (24, 31)
cells = st.tuples(st.integers(-5, 40), st.integers(-5, 40))
symmetries = st.builds(Symmetry, st.booleans(), st.booleans(), st.booleans())


def drawing(shape: tuple[int, int] = SHAPE, allowed=None) -> Drawing:
    mask = make_mask("cartesian", shape, 2.0, 0.2)
    return Drawing(mask, MaskRecipe("cartesian", 2.0, 0.2), allowed)


def stroke(under: Drawing, brush: Brush, *path, erase=False, size=1, symmetry=None) -> None:
    under.begin(brush, path[0], erase=erase, size=size, symmetry=symmetry or Symmetry())
    for cell in path[1:]:
        under.extend(cell)
    under.finish()


@given(st.lists(st.tuples(st.sampled_from(list(Brush)), cells, cells, st.booleans(), symmetries), max_size=12))
def test_undo_restores_bit_by_bit_and_redo_makes_it_again(strokes):
    under = drawing()
    seen = [(under.samples.copy(), under.sentences)]
    for brush, start, end, erase, symmetry in strokes:
        stroke(under, brush, start, end, erase=erase, symmetry=symmetry)
        if not np.array_equal(under.samples, seen[-1][0]):
            seen.append((under.samples.copy(), under.sentences))
    for samples, sentences in seen[-2::-1]:
        under.undo()
        np.testing.assert_array_equal(under.samples, samples)
        assert under.sentences == sentences
    assert not under.can_undo
    assert under.request() == MaskRecipe("cartesian", 2.0, 0.2)
    for samples, sentences in seen[1:]:
        under.redo()
        np.testing.assert_array_equal(under.samples, samples)
        assert under.sentences == sentences
    assert not under.can_redo


def test_a_stretched_line_leaves_no_trail_but_a_point_does():
    under = Drawing(Mask(np.eye(*SHAPE, dtype=bool), "drawn"), MaskRecipe())
    under.clear()
    stroke(under, Brush.LINE, (2, 2), (20, 2), (2, 9))
    assert under.samples.sum() == 8
    under.clear()
    stroke(under, Brush.POINT, (2, 2), (20, 2), (2, 9))
    assert under.samples.sum() > 8 + 15
    assert under.samples[15, 2]


def test_changes_are_said_in_few_words():
    under = drawing()
    under.clear()
    stroke(under, Brush.COLUMN, (3, 12))
    assert under.sentences[-1] == "painted column 12"
    stroke(under, Brush.COLUMN, (3, 14), (9, 17))
    stroke(under, Brush.COLUMN, (3, 2), symmetry=Symmetry(point=True))
    assert under.sentences[-1] == "painted columns 2, 12, 14 to 17, 28"
    stroke(under, Brush.COLUMN, (3, 15), erase=True)
    assert under.sentences[-1] == "erased column 15"
    stroke(under, Brush.POINT, (3, 6))
    stroke(under, Brush.POINT, (5, 6), (5, 9))
    assert under.sentences[-1] == "painted 5 samples by hand"
    stroke(under, Brush.LINE, (0, 0), (9, 30), symmetry=Symmetry(left_right=True, point=True))
    assert under.sentences[-1] == "painted a line from (0, 0) to (9, 30), mirrored through the centre and left-right"


def test_an_unfinished_stroke_is_in_the_mask_and_in_its_history():
    under = drawing()
    under.begin(Brush.ROW, (5, 5), erase=False, size=1, symmetry=Symmetry())
    mask = under.request()
    assert mask.samples[5].all()
    assert mask.edits == ("painted row 5",)


def test_the_history_is_bounded():
    under = drawing()
    for number in range(3 * MOST_SENTENCES):
        stroke(under, Brush.LINE, (number % 24, 0), (number % 24, 30), erase=number % 48 >= 24)
    assert len(under.sentences) == MOST_SENTENCES
    assert under.sentences[0].endswith("earlier changes by hand")
    undone = 0
    while under.can_undo:
        under.undo()
        undone += 1
    assert undone == DEPTH


def test_a_stroke_that_changes_nothing_is_forgotten():
    under = drawing()
    stroke(under, Brush.COLUMN, (0, SHAPE[1] // 2))
    assert not under.can_undo
    assert under.sentences == ()


def test_only_samples_that_the_file_holds_can_be_painted():
    allowed = np.zeros(SHAPE, dtype=bool)
    allowed[:, 10:20] = True
    base = Mask(allowed.copy(), "file")
    under = Drawing(base, MaskRecipe("file"), allowed)
    stroke(under, Brush.COLUMN, (0, 12), erase=True)
    stroke(under, Brush.COLUMN, (0, 3))
    assert under.refused == SHAPE[0]
    assert not under.samples[:, 3].any()
    under.invert()
    np.testing.assert_array_equal(np.flatnonzero(under.samples.any(axis=0)), [12])
    under.fill_square(24)
    assert (under.samples <= allowed).all()
    assert under.refused > 0


def test_an_empty_mask_is_refused_but_can_be_painted_on():
    under = drawing()
    under.clear()
    with pytest.raises(InputError, match="no sample"):
        under.request()
    under.fill_lines(5, "rows")
    mask = under.request()
    assert mask.kind == "drawn"
    assert mask.asked_acceleration is None
    assert mask.centre == (5, SHAPE[1])
    assert mask.edits == ("cleared everything", "filled the 5 central rows")


def test_a_drawn_mask_comes_back_from_its_record():
    under = drawing()
    stroke(under, Brush.LINE, (0, 0), (23, 30), size=3)
    mask = under.request()
    again = mask_from_record(mask_to_record(mask))
    np.testing.assert_array_equal(again.samples, mask.samples)
    assert again.edits == mask.edits


def test_going_on_from_another_mask_can_be_undone():
    under = drawing()
    stroke(under, Brush.ROW, (3, 3))
    drawn = under.samples
    other = make_mask("radial", SHAPE, 3.0)
    under.restart(other, MaskRecipe("radial", 3.0))
    assert under.request() == MaskRecipe("radial", 3.0)
    under.undo()
    np.testing.assert_array_equal(under.samples, drawn)
    assert under.request().edits == ("painted row 3",)
