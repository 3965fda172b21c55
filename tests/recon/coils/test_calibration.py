from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulate_scan, simulated_coils
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import normalise, root_sum_of_squares
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.coils.calibration import calibrated_coils, calibrates
from napari_pogmdm.recon.measurement import undersample

SHAPE = (96, 80)
IMAGE = shepp_logan(SHAPE) * np.exp(1j * smooth_phase(SHAPE, np.random.default_rng(0)))


def test_calibrated_coils_are_those_of_the_simulation_in_the_given_phase():
    measurement = undersample(simulate_scan(IMAGE, coils=6, noise=0.002), make_mask("cartesian", SHAPE, 3, 0.25))
    truth = normalise(torch.from_numpy(simulated_coils(6, SHAPE).astype(np.complex64)))
    found = calibrated_coils(measurement, truth)
    torch.testing.assert_close(root_sum_of_squares(found), torch.ones(SHAPE), atol=1e-4, rtol=0)
    inside = torch.from_numpy(np.abs(IMAGE) > 0.1)
    overlap = torch.linalg.vecdot(truth, found, dim=0)[inside]
    assert overlap.abs().mean() > 0.99
    assert overlap.angle().abs().max() < 0.05
    turned = calibrated_coils(measurement, truth * 1j)
    torch.testing.assert_close(turned, found * 1j, atol=1e-3, rtol=0)


def test_a_thin_centre_is_refused_in_one_sentence():
    measurement = undersample(simulate_scan(IMAGE, coils=6), make_mask("cartesian", SHAPE, 3, 0.05))
    assert not calibrates(measurement)
    with pytest.raises(InputError, match="too small to calibrate on; choose newton"):
        calibrated_coils(measurement, torch.ones_like(measurement.kspace))
