from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.fft import dstn

from napari_pogmdm.physics.smoothness import SmoothnessProx


def dense_laplacian(rows: int, columns: int) -> np.ndarray:
    """D^T D, built entry by entry from the n + 1 differences of each line with zeros beyond both ends."""
    count = rows * columns
    differences = []
    for y in range(rows):
        for x in range(columns + 1):
            line = np.zeros((rows, columns))
            if x < columns:
                line[y, x] += 1
            if x > 0:
                line[y, x - 1] -= 1
            differences.append(line.reshape(count))
    for x in range(columns):
        for y in range(rows + 1):
            line = np.zeros((rows, columns))
            if y < rows:
                line[y, x] += 1
            if y > 0:
                line[y - 1, x] -= 1
            differences.append(line.reshape(count))
    matrix = np.array(differences)
    return matrix.T @ matrix


@pytest.mark.parametrize("shape", [(7, 6), (5, 8), (1, 4)])
@pytest.mark.parametrize("beta", [0.1, 1.0, 50.0])
def test_prox_equals_the_dense_solve(shape, beta):
    generator = np.random.default_rng(0)
    coils = generator.normal(size=(2, *shape)) + 1j * generator.normal(size=(2, *shape))
    laplacian = dense_laplacian(*shape)
    solved = np.linalg.solve(np.eye(laplacian.shape[0]) + beta * laplacian, coils.reshape(2, -1).T).T.reshape(
        coils.shape
    )
    prox = SmoothnessProx(shape, dtype=torch.float64)
    assert np.abs(prox(torch.from_numpy(coils), beta).numpy() - solved).max() < 1e-10
    np.testing.assert_allclose(prox(torch.from_numpy(coils.real), beta).numpy(), solved.real, atol=1e-10)


def test_single_precision_is_close_at_the_size_of_a_scan():
    coils = torch.randn(2, 320, 372, dtype=torch.complex64, generator=torch.Generator().manual_seed(0))
    single = SmoothnessProx((320, 372))(coils, 10.0)
    double = SmoothnessProx((320, 372), dtype=torch.float64)(coils.to(torch.complex128), 10.0)
    assert float((single - double).abs().max() / double.abs().max()) < 1e-5


def test_the_transform_is_the_orthonormal_sine_transform_of_the_first_kind():
    image = np.random.default_rng(0).normal(size=(6, 9))
    prox = SmoothnessProx((6, 9), dtype=torch.float64)
    eigenvalues = np.add.outer(*(2 - 2 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1)) for n in (6, 9)))
    expected = dstn(dstn(image, type=1, norm="ortho") / (1 + 3 * eigenvalues), type=1, norm="ortho")
    np.testing.assert_allclose(prox(torch.from_numpy(image), 3.0).numpy(), expected, atol=1e-12)


def test_the_prox_minimises_its_objective():
    coils = torch.randn(3, 8, 9, dtype=torch.complex128, generator=torch.Generator().manual_seed(0))
    prox = SmoothnessProx((8, 9), dtype=torch.float64)
    beta = 2.0

    def objective(candidate: torch.Tensor) -> float:
        return float(0.5 * torch.linalg.vector_norm(candidate - coils) ** 2 + beta * prox.energy(candidate))

    best = prox(coils, beta)
    for seed in range(5):
        away = torch.randn(best.shape, dtype=best.dtype, generator=torch.Generator().manual_seed(seed))
        assert objective(best + 1e-3 * away) > objective(best)


def test_no_smoothing_changes_nothing():
    coils = torch.randn(2, 5, 5, dtype=torch.complex64)
    assert SmoothnessProx((5, 5))(coils, 0.0) is coils
