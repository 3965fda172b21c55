"""How minima of a curve are counted."""

from __future__ import annotations

import numpy as np

from napari_pogmdm.gui.docks.tour.figures.potential import minima


def test_minima_that_no_hill_separates_count_once():
    x = np.linspace(-1, 1, 401)
    assert len(minima(x**2)) == 1
    assert len(minima((x**2 - 0.25) ** 2)) == 2
    assert len(minima(x**2 + 1e-5 * np.sin(300 * x))) == 1
    lowest = minima((x**2 - 0.25) ** 2)
    np.testing.assert_allclose(np.abs(x[lowest]), 0.5, atol=0.01)
