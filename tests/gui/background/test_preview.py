from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.background.preview import preview
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import undersample, zero_filled_image


def test_it_shows_what_the_measurement_will_hold(small_scan):
    mask = make_mask("cartesian", small_scan.shape, 2, 0.3)
    made = preview(small_scan.kspace, mask, small_scan.crop)
    np.testing.assert_allclose(made.zero_filled, zero_filled_image(undersample(small_scan, mask)), rtol=1e-4)


def test_a_point_spread_has_its_peak_at_zero_decibels(small_scan):
    made = preview(small_scan.kspace, make_mask("cartesian", small_scan.shape, 2, 0.3), small_scan.crop)
    assert made.point_spread.shape == small_scan.shape
    assert made.point_spread.max() == pytest.approx(0.0, abs=1e-5)
    assert made.point_spread.min() >= -80.0 - 1e-4
