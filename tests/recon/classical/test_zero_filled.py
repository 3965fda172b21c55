from __future__ import annotations

import numpy as np
import torch

from napari_pogmdm.recon.classical.zero_filled import ZeroFilled
from napari_pogmdm.recon.measurement import zero_filled_image
from napari_pogmdm.recon.stepper import run


def test_one_step_gives_the_root_sum_of_squares_of_what_was_measured(measurement):
    state, steps = run(ZeroFilled(measurement))
    estimate = ZeroFilled(measurement).estimate(state)
    assert steps == 1
    assert estimate.coils is None
    assert float(estimate.magnitude.max()) == 1  # data are scaled so
    images = np.fft.ifft2(np.fft.ifftshift(measurement.kspace.numpy(), axes=(-2, -1)), norm="ortho")
    expected = np.fft.fftshift(np.sqrt((np.abs(images) ** 2).sum(axis=0)))
    np.testing.assert_allclose(estimate.image.numpy(), expected, atol=1e-6)
    np.testing.assert_allclose(zero_filled_image(measurement), expected * measurement.scale, rtol=1e-4)


def test_another_step_changes_nothing(measurement):
    method = ZeroFilled(measurement)
    once = method.step(method.start())
    assert torch.equal(method.step(once), once)
