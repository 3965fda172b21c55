from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import phantom_scan, simulate_scan, simulated_coils
from napari_pogmdm.errors import InputError


def images_of(kspace: np.ndarray) -> np.ndarray:
    axes = (-2, -1)
    return np.fft.fftshift(np.fft.ifftn(np.fft.ifftshift(kspace, axes=axes), axes=axes, norm="ortho"), axes=axes)


@pytest.mark.parametrize("shape", [(64, 64), (33, 50), (320, 20), (5, 5)])
@pytest.mark.parametrize("count", [2, 8])
def test_coils_are_smooth_different_and_of_unit_root_sum_of_squares(count, shape):
    coils = simulated_coils(count, shape)
    assert coils.shape == (count, *shape)
    np.testing.assert_allclose((np.abs(coils) ** 2).sum(axis=0), 1, rtol=1e-5)
    assert np.abs(np.vdot(coils[0], coils[1])) < 0.9 * np.linalg.norm(coils[0]) * np.linalg.norm(coils[1])
    if min(shape) > 30:
        assert np.abs(np.diff(coils, axis=1)).max() < 0.25


def test_coils_differ_in_phase_too():
    coils = simulated_coils(4, (64, 64))
    assert np.abs(np.angle(coils[0] * coils[1].conj())).std() > 0.1


def test_one_coil_is_the_body_coil():
    np.testing.assert_array_equal(simulated_coils(1, (4, 6)), np.ones((1, 4, 6)))


def test_a_noiseless_scan_transforms_back_to_the_image():
    image = shepp_logan((40, 31)) * np.exp(1j * smooth_phase((40, 31), np.random.default_rng(0)))
    scan = simulate_scan(image, coils=5, noise=0)
    rss = np.sqrt((np.abs(images_of(scan.kspace)) ** 2).sum(axis=0))
    np.testing.assert_allclose(rss, np.abs(image) / np.abs(image).max(), atol=1e-5)
    assert scan.reference is not None
    np.testing.assert_allclose(scan.reference, rss, atol=1e-5)


def test_noise_has_the_asked_standard_deviation_and_follows_the_seed():
    image = shepp_logan((64, 64))
    clean = simulate_scan(image, noise=0).kspace
    noisy = simulate_scan(image, noise=0.05, seed=7).kspace
    difference = noisy - clean
    assert difference.real.std() == pytest.approx(0.05, rel=0.02)
    assert difference.imag.std() == pytest.approx(0.05, rel=0.02)
    np.testing.assert_array_equal(noisy, simulate_scan(image, noise=0.05, seed=7).kspace)
    assert not np.array_equal(noisy, simulate_scan(image, noise=0.05, seed=8).kspace)


def test_the_phantom_is_a_head_with_phase():
    scan = phantom_scan((96, 80), coils=3, signal_to_noise=200)
    assert scan[0].kspace.shape == (3, 96, 80)
    reference = scan[0].reference
    assert reference is not None
    assert reference.max() == pytest.approx(1, abs=0.02)
    assert reference[:3].max() < 0.05
    assert 0.1 < reference[48, 40] < 0.9


@pytest.mark.parametrize(
    ("image", "changes", "words"),
    [
        (np.zeros((8, 8)), {}, "all zero"),
        (np.full((8, 8), np.nan), {}, "not finite"),
        (np.ones((2, 8, 8)), {}, "2-D"),
        (np.ones((8, 8)), {"coils": 0}, "from 1 to 128"),
        (np.ones((8, 8)), {"noise": -1.0}, "standard deviation"),
    ],
)
def test_what_cannot_be_scanned_is_said(image, changes, words):
    with pytest.raises(InputError, match=words):
        simulate_scan(image, **changes)
