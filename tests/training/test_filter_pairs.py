from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.training.filter_pairs import (
    add_adjoint,
    add_both_filtered,
    add_filtered_twice,
    add_products,
    correlate,
)


@pytest.mark.parametrize("taps", [3, 5, 7])
def test_two_rows_of_taps_at_once_do_what_correlations_do(taps: int) -> None:
    rng = np.random.default_rng(taps)
    rows = rng.standard_normal((2, 20 + taps - 1)).astype(np.float32)
    kernels = rng.standard_normal((2, taps)).astype(np.float32)
    first, second, both = np.ones((3, 20), dtype=np.float32)
    add_filtered_twice(rows[0], kernels[0], kernels[1], first, second)
    add_both_filtered(rows[0], rows[1], kernels[0], kernels[1], both)
    found = np.stack([np.correlate(rows[0], kernels[0], "valid"), np.correlate(rows[0], kernels[1], "valid")])
    np.testing.assert_allclose(np.stack([first, second]), 1 + found, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(both, 1 + found[0] + np.correlate(rows[1], kernels[1], "valid"), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("taps", [3, 5, 7])
def test_correlation_its_adjoint_and_the_gradient_of_its_taps_belong_together(taps: int, count: int) -> None:
    """<a, K x> = <K^T a, x>, and the gradient of <a, K x> with respect to K has that sum with K, too."""
    rng, margin, width, rows = np.random.default_rng(taps), taps - 1, 12, 9
    length = rows * width
    image = rng.standard_normal(length + margin * width + margin).astype(np.float32)
    kernels = rng.standard_normal((count, taps, taps)).astype(np.float32)
    padded = np.zeros((2, length + 2 * margin), dtype=np.float32)
    active = padded[:, margin:-margin]
    active[:count, :-margin] = rng.standard_normal((count, length - margin))  # the border of the last row is clear
    responses = np.zeros((count, length), dtype=np.float32)
    correlate(image, width, kernels, responses)
    product = float((active[:count] * responses).sum())

    sums = np.zeros_like(image)
    add_adjoint(padded, width, np.ascontiguousarray(kernels[:, :, ::-1]), sums)
    assert float((sums * image).sum()) == pytest.approx(product, rel=1e-4)

    gradients = np.zeros((2, taps, taps))
    for a in range(taps):
        add_products(active[0].copy(), active[1].copy(), image[a * width :], gradients[0, a], gradients[1, a])
    assert float((gradients[:count] * kernels).sum()) == pytest.approx(product, rel=1e-4)
