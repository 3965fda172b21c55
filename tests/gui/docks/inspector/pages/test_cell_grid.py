from __future__ import annotations

import pytest

from napari_pogmdm.gui.docks.inspector.pages.cell_grid import arrange


@pytest.mark.parametrize("size", [(1100, 150), (1900, 900), (320, 200), (90, 60), (5, 5)])
@pytest.mark.parametrize("total", [1, 10, 20, 38, 56])
def test_every_cell_is_on_exactly_one_page_and_can_be_hit(size, total):
    first = arrange(total, *size, (100, 70), 1.4)
    seen = []
    for page in range(first.pages):
        cells = arrange(total, *size, (100, 70), 1.4, page)
        assert cells.rows * cells.columns >= cells.count
        for number in cells.numbers:
            left, top = cells.corner(number)
            assert cells.at(left + cells.width / 2, top + cells.height / 2) == number
            assert left + cells.width <= size[0] + 1e-6
            assert top + cells.height <= size[1] + 1e-6
        seen += list(cells.numbers)
    assert seen == list(range(total))
    assert first.at(-1, 0) is None


def test_twenty_cells_share_one_page_of_a_low_dock_in_two_rows():
    cells = arrange(20, 1100, 150, (100, 70), 1.4)
    assert (cells.rows, cells.columns, cells.pages) == (2, 10, 1)
    assert arrange(20, 1100, 150, (100, 70), 1.4, page=9).page == 0
