from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.docks.inspector.options_box import HIGHEST, TICKS, sigma_at, tick_of


def test_the_noise_slider_is_monotonic_and_fine_near_zero():
    levels = [sigma_at(tick) for tick in range(TICKS + 1)]
    assert levels[0] == 0.0
    assert levels[-1] == pytest.approx(HIGHEST)
    assert np.all(np.diff(levels) > 0)
    assert levels[1] < 0.001
    assert [tick_of(level) for level in levels] == list(range(TICKS + 1))
    assert tick_of(5.0) == TICKS
