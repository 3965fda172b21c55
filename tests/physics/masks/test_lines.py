from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.physics.masks.lines import (
    fastmri_equispaced_lines,
    fastmri_matched_lines,
    fastmri_random_lines,
    partial_fourier_lines,
)


# Lines that fastMRI's published mask functions choose for 40 columns, acceleration 4, centre fraction 0.08, seed 7.
@pytest.mark.parametrize(
    ("rule", "chosen"),
    [
        (fastmri_random_lines, [0, 7, 13, 19, 20, 21, 25]),
        (fastmri_equispaced_lines, [3, 7, 11, 15, 19, 20, 21, 23, 27, 31, 35, 39]),
        (fastmri_matched_lines, [4, 9, 15, 19, 20, 21, 25, 30, 36]),
    ],
)
def test_fastmri_rules_are_bit_equal(rule, chosen):
    assert np.flatnonzero(rule(40, 4, 3, 7)).tolist() == chosen


@pytest.mark.parametrize("acceleration", [1.3, 1.6, 3.0])
def test_partial_fourier_leaves_out_one_side_only(acceleration):
    lines = partial_fourier_lines(240, acceleration, 20, 0)
    first = int(np.argmax(lines))
    assert lines[110:130].all()
    assert 40 <= first <= 0.4 * 240
    assert lines[-10:].any()
    assert 240 / lines.sum() == pytest.approx(acceleration, rel=0.15)
    if acceleration < 1.6:
        assert lines[first:].all()
