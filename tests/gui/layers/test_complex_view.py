from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.layers.complex_view import PARTS, log_magnitude, style_of, view_of


@pytest.mark.parametrize(
    ("part", "value"), [("magnitude", 5.0), ("phase", 2.2142974), ("real", -3.0), ("imaginary", 4.0)]
)
def test_parts_of_a_complex_number(part, value):
    seen = view_of(np.array([[-3 + 4j]], np.complex64), part)
    assert seen.dtype == np.float32
    np.testing.assert_allclose(seen, [[value]], rtol=1e-6)


def test_every_part_has_fitting_colours():
    looks = {part: style_of(part, part, np.array([[-2.0, 1.0]], np.float32)) for part in PARTS}
    assert looks["phase"].contrast == pytest.approx((-np.pi, np.pi))
    assert looks["real"].contrast == (-2.0, 2.0)
    assert looks["magnitude"].contrast == (0.0, 2.0)


def test_views_own_their_numbers():
    array = np.ones((2, 2), np.complex64)
    view_of(array, "real")[:] = 7
    assert array.real.max() == 1


def test_k_space_is_shown_in_decibels_below_its_strongest_sample():
    kspace = np.zeros((2, 2, 2), np.complex64)
    kspace[:, 0, 0] = 3, 4
    kspace[0, 1, 1] = 0.5j
    np.testing.assert_allclose(log_magnitude(kspace), [[0, -100], [-100, -20]], atol=1e-4)
