from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.noise_floor import outer_noise, residual_noise, with_noise_floor

SHAPE = (80, 72)


@pytest.mark.slow
def test_images_get_the_noise_floor_of_measured_references(acquisition):
    mask = make_mask("cartesian", SHAPE, 3, 0.16, seed=5)
    noisy = root_sum_of_squares(to_image(torch.from_numpy(acquisition.kspace))).numpy()
    plain, floored = (
        reconstruct(undersample(acquisition, mask, noise_floor=wish), "tv").image for wish in (False, True)
    )
    corner = np.s_[:12, :12]
    assert plain[corner].mean() < 0.5 * noisy[corner].mean()
    assert floored[corner].mean() == pytest.approx(float(noisy[corner].mean()), rel=0.25)
    assert metrics(noisy, floored).psnr > metrics(noisy, plain).psnr


def test_the_noise_of_the_residual_is_found_where_the_image_is_dark():
    generator = torch.Generator().manual_seed(0)
    noise = 0.02 * torch.randn(1, 4, 96, 80, dtype=torch.complex64, generator=generator) * 2**0.5
    image = torch.from_numpy(shepp_logan((96, 80)))
    wrong = noise + 0.5 * (image > 0.1)  # whatever a method leaves inside the object does not count
    assert float(residual_noise(wrong, image[None], 1.0)[0]) == pytest.approx(0.02, rel=0.1)
    assert float(residual_noise(noise / 2, image[None], 4.0)[0]) == pytest.approx(0.02, rel=0.1)


def test_every_chain_has_its_own_noise():
    generator = torch.Generator().manual_seed(0)
    residual = torch.randn(2, 3, 64, 64, dtype=torch.complex64, generator=generator) * 2**0.5
    residual[1] *= 3
    found = residual_noise(residual, torch.rand(2, 64, 64, generator=generator), 1.0)
    assert found.tolist() == pytest.approx([1, 3], rel=0.1)


def test_the_outermost_samples_bound_the_noise_from_above(acquisition, measurement):
    found = outer_noise(measurement) * measurement.scale
    assert 0.9 * 0.004 < found < 3 * 0.004


def test_a_floor_adds_the_energy_of_the_noise_of_all_coils():
    floored = with_noise_floor(np.array([[0.0, 3.0]]), 2.0, coils=2)
    np.testing.assert_allclose(floored, [[4.0, 5.0]])
