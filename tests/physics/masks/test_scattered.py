from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.physics.masks.scattered import radial, spiral


@pytest.mark.parametrize(("width", "acceleration"), [(372, 11.25), (368, 11.20), (320, 10.57)])
def test_radial_masks_of_45_spokes(width, acceleration):
    samples = radial((640, width), 45)
    assert samples.size / samples.sum() == pytest.approx(acceleration, abs=0.01)


def test_radial_spokes_are_thin_and_connected_and_meet_in_the_centre():
    samples = radial((64, 48), 2)
    assert samples[32].all()
    assert samples[:, 24].all()
    assert samples.sum() == 64 + 48 - 1


def test_the_spiral_of_80_turns():
    samples = spiral((320, 320), 80)
    assert samples.size / samples.sum() == pytest.approx(5.04, abs=0.01)


def test_successive_golden_spokes_are_spread_nearly_evenly():
    angles = np.sort((np.arange(13) * np.pi * (np.sqrt(5) - 1) / 2) % np.pi)
    gaps = np.diff([*angles, angles[0] + np.pi])
    assert gaps.max() / gaps.min() < 3
    golden, even = radial((128, 128), 13, golden=True), radial((128, 128), 13)
    assert golden[64, 64]
    assert golden.sum() == pytest.approx(even.sum(), rel=0.05)
    assert (golden != even).any()
