from __future__ import annotations

import math

import numpy as np
import pytest
from napari.layers import Image

from napari_pogmdm.gui.core.hands.measuring import Region, numbers, profile


def test_a_profile_is_read_between_pixels_in_the_units_of_the_world():
    rows, columns = np.mgrid[:8, :6]
    layer = Image((10.0 * rows + columns).astype(np.float32), scale=(2.0, 0.5), translate=(4.0, 1.0))
    distances, values = profile(layer, ((4.0, 1.0), (18.0, 1.0)), ())
    assert distances[-1] == pytest.approx(14.0)
    np.testing.assert_allclose(values, 10.0 * np.arange(8))
    stack = Image(np.stack([layer.data, -layer.data]))
    _, second = profile(stack, ((0.0, 0.0), (0.0, 4.0)), (1.0,))
    np.testing.assert_allclose(second, -np.arange(5.0))
    assert profile(layer, ((100.0, 100.0), (120.0, 100.0)), ()) is None


def test_regions_give_mean_deviation_snr_and_cnr():
    data = np.zeros((10, 10), np.float32)
    data[:5] = np.where(np.indices((5, 10)).sum(axis=0) % 2, 9.0, 11.0)
    data[5:] = np.where(np.indices((5, 10)).sum(axis=0) % 2, 3.0, 5.0)
    layer = Image(data)
    upper, lower = Region((3.0, 3.0), (0.0, 0.0)), Region((6.0, 0.0), (9.0, 3.0))
    alone = numbers(layer, [upper], ())
    assert (alone.mean, alone.deviation, alone.snr, alone.pixels) == (10.0, 1.0, 10.0, 16)
    assert math.isnan(alone.cnr)
    both = numbers(layer, [upper, lower], ())
    assert both.other_mean == 4.0
    assert both.cnr == pytest.approx(6.0)
    assert numbers(layer, [Region((50.0, 50.0), (60.0, 60.0))], ()) is None
    assert numbers(layer, [], ()) is None
