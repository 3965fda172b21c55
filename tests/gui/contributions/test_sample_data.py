"""Samples without a window; with one, see test_window."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.gui.contributions import sample_data
from napari_pogmdm.recon.measure import measure
from napari_pogmdm.recon.measurement import reference_image, zero_filled_image


@pytest.mark.parametrize("name", ["demo", "radial-demo", "phantom"])
def test_without_a_viewer_a_sample_is_its_full_image(name):
    acquisition = open_scan(name)[0]
    [(data, facts, kind)] = getattr(sample_data, name.replace("-", "_"))()
    expected = reference_image(acquisition)
    if expected is None:
        expected = zero_filled_image(measure(acquisition))
    np.testing.assert_array_equal(data, expected)
    assert kind == "image"
    assert facts["visible"]
    assert facts["scale"] == (acquisition.pixel_mm or (1.0, 1.0))
    scale = np.array(facts["scale"])
    middle, whole = facts["translate"] + scale * data.shape / 2, scale * acquisition.shape / 2
    assert middle == pytest.approx(whole, abs=scale.max())


def test_without_a_viewer_the_recorded_run_is_a_stack():
    [(data, facts, _)] = sample_data.recording()
    assert data.ndim == 3
    assert facts["visible"]
