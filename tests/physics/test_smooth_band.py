from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.fft import dctn

from napari_pogmdm.physics.smooth_band import SmoothBand

SHAPE = (20, 27)


def random_images(*shape: int) -> torch.Tensor:
    return torch.randn(shape, dtype=torch.complex64, generator=torch.Generator().manual_seed(0))


def test_coefficients_are_the_lowest_of_the_cosine_transform():
    images = random_images(3, *SHAPE)
    found = SmoothBand(SHAPE, cycles=4, corner=8).coefficients(images)
    parts = [dctn(part.numpy(), axes=(-2, -1), norm="ortho")[..., :8, :8] for part in (images.real, images.imag)]
    np.testing.assert_allclose(found.numpy(), parts[0] + 1j * parts[1], atol=1e-5)


def test_images_is_the_adjoint_and_undoes_coefficients_on_smooth_images():
    band = SmoothBand(SHAPE, cycles=5, corner=8)
    rough, coefficients = random_images(2, *SHAPE), random_images(2, 10, 10)
    one = torch.vdot(band.coefficients(rough).flatten(), coefficients.flatten())
    other = torch.vdot(rough.flatten(), band.images(coefficients).flatten())
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(band.coefficients(band.images(coefficients)), coefficients, rtol=1e-4, atol=1e-5)


def test_a_conjugated_view_is_not_mistaken_for_its_memory():
    band = SmoothBand(SHAPE, cycles=5, corner=8)
    images = random_images(*SHAPE)
    torch.testing.assert_close(band.coefficients(images.conj()), band.coefficients(images).conj())


def test_roughness_is_one_at_the_corner_and_grows_with_the_fourth_power():
    roughness = SmoothBand((64, 64), cycles=16, corner=8).roughness
    assert float(roughness[0, 0]) == 0
    assert float(roughness[16, 0]) == pytest.approx(1)
    assert float(roughness[0, 8]) == pytest.approx(1 / 16)


def test_coils_that_are_not_periodic_survive():
    """A ramp jumps where a periodic transform closes it; cosines hold it with a few coefficients."""
    ramp = torch.linspace(-1, 1, 64).expand(64, 64).to(torch.complex64)
    band = SmoothBand((64, 64), cycles=8, corner=8)
    assert float((band.images(band.coefficients(ramp)) - ramp).abs().max()) < 0.03


def test_an_image_smaller_than_the_band_keeps_everything():
    images = random_images(6, 5)
    band = SmoothBand((6, 5), cycles=16, corner=8)
    torch.testing.assert_close(band.images(band.coefficients(images)), images, rtol=1e-4, atol=1e-5)
