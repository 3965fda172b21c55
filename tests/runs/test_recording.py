"""Pictures that are packed come back."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.runs.recording import Coding
from napari_pogmdm.runs.recording_writer import codings


@pytest.mark.parametrize("levels", [255, 4095])
def test_pictures_come_back_to_half_a_level(levels):
    coding = Coding(-1.0, 2.0, levels)
    picture = np.linspace(-1, 2, 20 * 17, dtype=np.float32).reshape(20, 17)
    back = coding.decode(coding.encode(picture), picture.shape)
    assert np.abs(back - picture).max() <= 0.5001 * 3 / levels


def test_what_lies_outside_is_stored_as_the_nearer_limit():
    coding = Coding(0.0, 1.0)
    back = coding.decode(coding.encode(np.array([[-5.0, 9.0, np.nan]])), (1, 3))
    np.testing.assert_allclose(back, [[0.0, 1.0, 0.0]])


def test_thinned_pictures_are_interpolated_and_angles_go_the_short_way_round():
    ramp = np.broadcast_to(np.linspace(-4, 4, 31, dtype=np.float32), (2, 10, 31))
    angle = np.angle(np.exp(1j * ramp)).astype(np.float32)
    coding = codings(1.0)["coil phase"]
    back = coding.decode(coding.encode(angle), angle.shape)
    assert np.abs(np.exp(1j * back) - np.exp(1j * angle)).max() < 0.03


@pytest.mark.slow
def test_a_picture_that_unpacks_to_more_than_it_claims_takes_no_more_memory():
    coding = Coding(0.0, 1.0)
    bomb = coding.encode(np.zeros((5000, 5000), np.float32))
    assert coding.decode(bomb, (4, 4)).shape == (4, 4)
