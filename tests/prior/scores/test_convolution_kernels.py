from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.prior.scores.convolution_kernels import add_filtered, look_up, score_band


@pytest.mark.parametrize("taps", [3, 5, 7])
def test_rows_are_correlated_and_added(taps):
    rng = np.random.default_rng(taps)
    row, kernel = rng.standard_normal(20 + taps - 1).astype(np.float32), rng.standard_normal(taps).astype(np.float32)
    out = np.ones(20, dtype=np.float32)
    add_filtered(row, kernel, out)
    np.testing.assert_allclose(out, 1 + np.correlate(row, kernel, "valid"), rtol=1e-5, atol=1e-5)


def test_tables_are_odd_linear_between_nodes_and_beyond_them():
    values = np.array([0.0, 1.0, 4.0, 9.0], dtype=np.float32)
    cells = np.stack([values[:-1], np.diff(values)], axis=-1)
    responses = np.array([0.0, 0.25, 0.5, 0.75, 1.5, 3.0, -0.75, -3.0], dtype=np.float32)
    out = np.empty_like(responses)
    look_up(responses, cells, np.float32(2.0), out)  # nodes at 0, 0.5, 1 and 1.5
    np.testing.assert_allclose(out, [0, 0.5, 1, 2.5, 9, 24, -2.5, -24])


@pytest.mark.parametrize("taps", [3, 5])
def test_bands_together_are_the_score_with_circular_borders(taps):
    rng = np.random.default_rng(0)
    image = rng.standard_normal((14, 11)).astype(np.float32)
    filters = rng.standard_normal((2, taps, taps)).astype(np.float32)
    cells = np.stack([np.zeros((2, 1)), np.array([[2.0], [0.5]])], axis=-1).astype(np.float32)  # phi(u) = 2 u, u / 2
    out = np.empty_like(image)
    for first, last in ((0, 5), (5, 14)):
        score_band(image, filters, cells, np.ones(2, dtype=np.float32), first, last, out)
    expected = np.zeros(image.shape)
    half = taps // 2
    for kernel, slope in zip(filters, (2.0, 0.5), strict=True):
        offsets = [(a - half, b - half) for a in range(taps) for b in range(taps)]
        response = sum(kernel[a + half, b + half] * np.roll(image, (-a, -b), (0, 1)) for a, b in offsets)
        expected -= sum(kernel[a + half, b + half] * np.roll(slope * response, (a, b), (0, 1)) for a, b in offsets)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)
