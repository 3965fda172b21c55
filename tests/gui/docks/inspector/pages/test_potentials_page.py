from __future__ import annotations

import pytest

from napari_pogmdm.gui.docks.inspector.pages.potentials_page import round_up


@pytest.mark.parametrize(
    ("number", "end"), [(0.011, 0.015), (0.02, 0.02), (0.0201, 0.03), (0.46, 0.5), (0.71, 1.0), (3.0, 3.0)]
)
def test_axes_end_at_round_numbers_that_are_no_smaller(number, end):
    assert round_up(number) == pytest.approx(end)
