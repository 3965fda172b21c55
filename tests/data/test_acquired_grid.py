"""Zero-filled images are recognised, brought back to the grid they were measured on, and others left alone."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.data.acquired_grid import acquired_shape, on_acquired_grid
from napari_pogmdm.data.phantom import shepp_logan


def heads(shape: tuple[int, int], count: int = 6) -> np.ndarray:
    """Noisy complex heads, as a scanner measures them."""
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((2, count, *shape)) * 0.005
    turned = np.stack([np.roll(shepp_logan(shape), number, axis=0) for number in range(count)])
    return turned + noise[0] + 1j * noise[1]


def zero_filled(images: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Magnitudes of images whose k-space was filled up with zeros."""
    spectrum = np.fft.fftshift(np.fft.fft2(images), axes=(1, 2))
    margins = [(new - old) // 2 for new, old in zip(shape, images.shape[1:], strict=True)]
    padded = np.pad(spectrum, ((0, 0), *((margin, margin) for margin in margins)))
    scale = shape[0] * shape[1] / (images.shape[1] * images.shape[2])
    return (scale * np.abs(np.fft.ifft2(np.fft.ifftshift(padded, axes=(1, 2))))).astype(np.float32)


@pytest.mark.parametrize(("acquired", "shown"), [((128, 128), (256, 256)), ((128, 160), (128, 192))])
def test_finds_the_acquired_grid(acquired: tuple[int, int], shown: tuple[int, int]) -> None:
    found = acquired_shape(zero_filled(heads(acquired), shown))
    assert np.abs(np.subtract(found, acquired)).max() <= 4


@pytest.mark.parametrize("shape", [(128, 128), (96, 129), (64, 64)])
def test_leaves_measured_images_alone(shape: tuple[int, int]) -> None:
    stack = np.abs(heads(shape)).astype(np.float32)
    assert on_acquired_grid(stack) is stack


def test_brings_back_what_was_measured() -> None:
    images = heads((128, 128))
    shown = zero_filled(images, (256, 256))
    found = on_acquired_grid(shown)
    assert max(found.shape[1:]) <= 132
    assert found.dtype == np.float32
    assert found.mean() == pytest.approx(shown.mean(), rel=0.02)  # in the same units
    if found.shape == images.shape:
        error = np.sqrt(np.mean((found - np.abs(images)) ** 2))
        assert error < 0.02


@pytest.mark.parametrize("stack", [np.zeros((2, 16, 16)), np.ones((1, 3, 3)), np.ones((1, 1, 1)), np.eye(12)[None]])
def test_odd_images_do_no_harm(stack: np.ndarray) -> None:
    assert on_acquired_grid(stack.astype(np.float32)).shape == stack.shape
