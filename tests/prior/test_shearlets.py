"""The shearlet system against its published numbers and against a construction in the spatial domain."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.signal import convolve2d

from napari_pogmdm.prior.generators import fan, initial_generators, low_pass
from napari_pogmdm.prior.shearlets import embed, reference_size, shearlet_spectra


@pytest.mark.parametrize(
    ("scales", "gains", "overlap"),
    [
        (1, [(1.0, 0.80)], 7.1),
        (2, [(0.70, 0.70), (1.0, 0.80)], 4.0),
        (3, [(0.636, 0.636), (0.70, 0.70), (0.997, 0.80)], 5.0),
        (4, [(0.619, 0.619), (0.636, 0.636), (0.70, 0.70), (0.997, 0.80)], 8.0),
    ],
)
def test_gains_at_the_start(scales: int, gains: list[tuple[float, float]], overlap: float) -> None:
    start = initial_generators()
    spectra = shearlet_spectra(start["low_pass"], start["fan"], scales).abs()
    measured = spectra.amax((1, 2))
    first = 0
    for scale, (largest, smallest) in enumerate(gains, start=1):
        count = 2 * 2 ** math.ceil(scale / 2) + 1
        group = measured[first : first + count]
        assert group.max().item() == pytest.approx(largest, abs=6e-3)
        assert group.min().item() == pytest.approx(smallest, abs=6e-3)
        first += count
    assert (spectra / measured[:, None, None]).square().sum(0).max().item() == pytest.approx(overlap, abs=0.15)
    assert spectra[:, 0, 0].max().item() < 1e-6


def spatial_shearlet(h: np.ndarray, p: np.ndarray, scale: int, scales: int, shear: int, size: int) -> np.ndarray:
    """Build one first-cone filter with loops and rolls, as the method is written down."""

    def pyramid(start: np.ndarray, level: int) -> np.ndarray:
        for _ in range(level - 1):
            spread = np.zeros(2 * start.size - 1)
            spread[::2] = start
            start = np.convolve(spread, h)
        return start

    octave = math.ceil(scale / 2)
    factor = 2**octave
    step = 2 ** (octave + 1)
    rows = np.zeros((16 * step + 1, 17))
    rows[::step] = p
    smooth = pyramid(h, octave + 1) if scales > 1 else h
    band = pyramid(h * (-1.0) ** np.arange(9), scales - scale + 1)
    kernel = convolve2d(rows, np.outer(smooth, band))
    image = np.zeros((size, size))
    top, left = size // 2 - kernel.shape[0] // 2, size // 2 - kernel.shape[1] // 2
    image[top : top + kernel.shape[0], left : left + kernel.shape[1]] = kernel
    fine = np.zeros((size, factor * size))
    fine[:, ::factor] = image
    filter_spectrum = np.fft.fft(pyramid(h, octave), factor * size)
    fine = np.fft.ifft(np.fft.fft(fine) * filter_spectrum).real
    for row in range(size):
        fine[row] = np.roll(fine[row], shear * (size // 2 - row))
    fine = np.fft.ifft(np.fft.fft(fine) * filter_spectrum.conj()).real
    return np.fft.ifftshift(factor * fine[:, ::factor])


@pytest.mark.parametrize(("scales", "scale"), [(1, 1), (2, 1), (2, 2), (3, 3)])
def test_fourier_construction_equals_the_spatial_one(scales: int, scale: int) -> None:
    rng = np.random.default_rng(scale)
    h = low_pass().numpy() + 0.02 * rng.standard_normal(9)
    p = fan().numpy() + 0.02 * rng.standard_normal((17, 17))
    size = reference_size(scales)
    spectra = shearlet_spectra(torch.tensor(h), torch.tensor(p), scales)
    before = sum(2 * 2 ** math.ceil(s / 2) + 1 for s in range(1, scale))
    widest = 2 ** math.ceil(scale / 2)
    for shear in (-widest, 1):
        expected = np.fft.fft2(spatial_shearlet(h, p, scale, scales, shear, size))
        np.testing.assert_allclose(spectra[before + shear + widest].numpy(), expected, atol=1e-10)
    half = spectra.shape[0] // 2
    torch.testing.assert_close(spectra[half:], spectra[:half].transpose(1, 2))


def test_reference_grid_holds_every_filter_without_wrapping() -> None:
    """On a grid twice as large the filters are the same to seven digits, only with more zeros around."""
    rng = np.random.default_rng(0)
    h, p = low_pass().numpy(), rng.standard_normal((17, 17))
    small = spatial_shearlet(h, p, 1, 2, 2, 128)
    large = spatial_shearlet(h, p, 1, 2, 2, 256)
    np.testing.assert_allclose(embed(torch.tensor(small), (256, 256)).numpy(), large, atol=1e-7)
