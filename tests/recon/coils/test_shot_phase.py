from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.coils.shot_phase import shot_phase
from napari_pogmdm.recon.measurement import Measurement, undersample

SHAPE = (112, 96)
IMAGE = shepp_logan(SHAPE) * np.exp(1j * smooth_phase(SHAPE, np.random.default_rng(0)))
SCAN = simulate_scan(IMAGE, coils=6, noise=0.01, seed=3)


def two_shots(phase: float, centre: float = 0.2, kind: str = "cartesian") -> Measurement:
    kspace = SCAN.kspace.copy()
    kspace[..., 1::2] *= np.exp(1j * phase)
    return undersample(Acquisition(kspace, "two shots"), make_mask(kind, SHAPE, 3, centre))


@pytest.mark.parametrize(("phase", "found"), [(0.0, 0.0), (0.4, 0.4), (1.0, 1.0), (2.0, 2.0 - np.pi), (np.pi, 0.0)])
def test_the_phase_between_shots_is_found_up_to_half_a_turn(phase, found):
    assert abs(shot_phase(two_shots(phase))) == pytest.approx(abs(found), abs=0.1)


def test_nothing_is_said_where_the_centre_does_not_tell():
    assert shot_phase(two_shots(1.0, centre=0.05)) == 0
    assert shot_phase(two_shots(1.0, kind="gaussian")) == 0


def test_nothing_is_said_where_even_and_odd_lines_have_no_phase_in_common():
    parts = np.random.default_rng(0).standard_normal((2, *SCAN.kspace.shape))
    noise = Acquisition((parts[0] + 1j * parts[1]).astype(np.complex64), "noise")
    assert shot_phase(undersample(noise, make_mask("cartesian", SHAPE, 3, 0.2))) == 0
