from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.mask.brush import Brush, Symmetry, covered, line_cells, mirrored, ranges
from napari_pogmdm.gui.docks.mask.drawing import DEPTH, MOST_SENTENCES, Drawing
from napari_pogmdm.physics.masks.kinds import MaskKind, make_mask
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.physics.masks.record import mask_from_record, mask_to_record
from napari_pogmdm.recon.mask_recipe import NAMES, MaskRecipe, options_of

SHAPE = (24, 31)
cells = st.tuples(st.integers(-5, 40), st.integers(-5, 40))
shapes = st.tuples(st.integers(2, 12), st.integers(2, 12))
symmetries = st.builds(Symmetry, st.booleans(), st.booleans(), st.booleans())
grids = shapes.flatmap(
    lambda shape: st.lists(st.booleans(), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
        lambda flat: np.array(flat).reshape(shape)
    )
)


def drawing(shape: tuple[int, int] = SHAPE, allowed=None) -> Drawing:
    mask = make_mask("cartesian", shape, 2.0, 0.2)
    return Drawing(mask, MaskRecipe("cartesian", 2.0, 0.2), allowed)


def stroke(under: Drawing, brush: Brush, *path, erase=False, size=1, symmetry=None) -> None:
    under.begin(brush, path[0], erase=erase, size=size, symmetry=symmetry or Symmetry())
    for cell in path[1:]:
        under.extend(cell)
    under.finish()


@given(grids, st.booleans(), st.booleans())
def test_mirroring_twice_changes_nothing_and_keeps_the_centre(grid, rows, columns):
    once = mirrored(grid, rows=rows, columns=columns)
    np.testing.assert_array_equal(mirrored(once, rows=rows, columns=columns), grid)
    middle = grid.shape[0] // 2, grid.shape[1] // 2
    assert once[middle] == grid[middle]


def test_the_mirror_images_are_those_of_the_fourier_transform():
    """The transform of a real image has equal magnitudes at k and -k, wherever the grid puts them."""
    for shape in ((8, 9), (7, 10)):
        image = np.random.default_rng(0).random(shape)
        kspace = np.fft.fftshift(np.fft.fftn(np.fft.ifftshift(image)))
        strong = np.abs(kspace) > np.median(np.abs(kspace))
        np.testing.assert_array_equal(mirrored(strong, rows=True, columns=True), strong)


@given(grids, symmetries)
def test_a_spread_selection_is_complete(grid, symmetry):
    spread = symmetry.spread(grid)
    assert (spread | grid).sum() == spread.sum()
    np.testing.assert_array_equal(symmetry.spread(spread), spread)


@given(cells, cells)
def test_a_line_connects_its_ends(start, end):
    path = line_cells(start, end)
    assert tuple(path[0]) == start
    assert tuple(path[-1]) == end
    assert np.abs(np.diff(path, axis=0)).max(initial=0) <= 1


@given(st.sampled_from(list(Brush)), cells, cells, st.integers(1, 9), shapes)
def test_no_stroke_leaves_the_grid_or_depends_on_its_direction(brush, start, end, size, shape):
    there = covered(brush, start, end, size, shape)
    assert there.shape == shape
    if brush in {Brush.COLUMN, Brush.ROW}:
        np.testing.assert_array_equal(there, covered(brush, end, start, size, shape))


@pytest.mark.parametrize(("brush", "axis"), [(Brush.COLUMN, 1), (Brush.ROW, 0)])
def test_column_and_row_brushes_paint_whole_lines_as_many_as_the_brush_is_wide(brush, axis):
    for size in (1, 2, 5):
        painted = covered(brush, (10, 10), (10, 10), size, SHAPE)
        lines = painted.all(axis=1 - axis)
        assert lines.sum() == size
        assert painted.sum() == size * SHAPE[1 - axis]
        assert lines[10]


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 4), (3, 9), (4, 12), (20, 316)])
def test_a_point_is_a_disc(size, count):
    painted = covered(Brush.POINT, (15, 15), (15, 15), size, (31, 31))
    assert painted.sum() == count
    assert painted[15, 15]


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
    assert under.wish() == MaskRecipe("cartesian", 2.0, 0.2)
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
    assert ranges(np.array([3, 7, 8, 9])) == "3, 7 to 9"


def test_an_unfinished_stroke_is_in_the_mask_and_in_its_history():
    under = drawing()
    under.begin(Brush.ROW, (5, 5), erase=False, size=1, symmetry=Symmetry())
    mask = under.wish()
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
        under.wish()
    under.fill_lines(5, "rows")
    mask = under.wish()
    assert mask.kind == "drawn"
    assert mask.asked_acceleration is None
    assert mask.centre == (5, SHAPE[1])
    assert mask.edits == ("cleared everything", "filled the 5 central rows")


def test_a_drawn_mask_comes_back_from_its_record():
    under = drawing()
    stroke(under, Brush.LINE, (0, 0), (23, 30), size=3)
    mask = under.wish()
    again = mask_from_record(mask_to_record(mask))
    np.testing.assert_array_equal(again.samples, mask.samples)
    assert again.edits == mask.edits


def test_going_on_from_another_mask_can_be_undone():
    under = drawing()
    stroke(under, Brush.ROW, (3, 3))
    drawn = under.samples
    other = make_mask("radial", SHAPE, 3.0)
    under.restart(other, MaskRecipe("radial", 3.0))
    assert under.wish() == MaskRecipe("radial", 3.0)
    under.undo()
    np.testing.assert_array_equal(under.samples, drawn)
    assert under.wish().edits == ("painted row 3",)


def test_a_recipe_makes_its_mask_once_for_every_size():
    recipe = MaskRecipe("gaussian", 4.0)
    slices = [Acquisition(np.zeros((1, *shape), np.complex64), "x") for shape in ((20, 20), (20, 20), (24, 20))]
    first, second, third = (recipe.make(one) for one in slices)
    assert first is second
    assert third.shape == (24, 20)
    assert replace(recipe, seed=1).make(slices[0]) is not first
    assert recipe == MaskRecipe("gaussian", 4.0)


def test_every_kind_has_a_name_and_its_options_matter():
    one = Acquisition(np.zeros((1, 64, 48), np.complex64), "x")
    changes = {"acceleration": 5.0, "centre_fraction": 0.16, "seed": 5, "axis": "rows"}
    for kind in MaskKind:
        assert NAMES[kind]
        start = MaskRecipe(kind, 3.0, 0.05, 1)
        for option, value in changes.items():
            same = np.array_equal(replace(start, **{option: value}).make(one).samples, start.make(one).samples)
            assert same is (option not in options_of(kind)), (kind, option)
