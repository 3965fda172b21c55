from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from napari_pogmdm.gui.docks.sampling.brush import Brush, Symmetry, covered, line_cells, mirrored

SHAPE = (24, 31)
cells = st.tuples(st.integers(-5, 40), st.integers(-5, 40))
shapes = st.tuples(st.integers(2, 12), st.integers(2, 12))
symmetries = st.builds(Symmetry, st.booleans(), st.booleans(), st.booleans())
grids = shapes.flatmap(
    lambda shape: st.lists(st.booleans(), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
        lambda flat: np.array(flat).reshape(shape)
    )
)


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
