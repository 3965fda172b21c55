from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.prior.experts import activation
from napari_pogmdm.prior.scores.table_kernels import fill_table, table_gradients

BOUND = 0.5


def mixture(filters: int, components: int = 21) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    half = rng.random((filters, components // 2 + 1)) + 0.1
    weights = np.concatenate([half[:, :0:-1], half], axis=1)
    return weights / weights.sum(1, keepdims=True), np.array([0.002, 0.02])[:filters], np.array([0.03, 0.05])[:filters]


def test_the_table_holds_the_exact_derivatives():
    weights, variances, steps = mixture(2)
    values = np.empty((2, 40))
    fill_table(weights, variances, steps, BOUND, values)
    positions = torch.linspace(-BOUND, BOUND, 21, dtype=torch.float64)
    for k in range(2):
        nodes = torch.arange(40, dtype=torch.float64) * steps[k]
        exact = activation(nodes, torch.from_numpy(weights[k]), positions, torch.tensor(variances[k]))
        np.testing.assert_allclose(values[k], exact.numpy(), rtol=1e-9, atol=1e-9)


def test_far_in_the_tails_nothing_overflows():
    weights, variances, _ = mixture(1)
    values = np.empty((1, 5))
    fill_table(weights, variances, np.array([100.0]), BOUND, values)
    np.testing.assert_allclose(values[0], [0, *((100 * j - BOUND) / variances[0] for j in range(1, 5))], rtol=1e-6)


def test_gradients_agree_with_finite_differences():
    weights, variances, steps = mixture(2)
    cotangent = np.random.default_rng(1).standard_normal((2, 30))

    def total(changed_weights: np.ndarray, changed_variances: np.ndarray) -> float:
        values = np.empty((2, 30))
        fill_table(changed_weights, changed_variances, steps, BOUND, values)
        return float((cotangent * values).sum())

    values = np.empty((2, 30))
    fill_table(weights, variances, steps, BOUND, values)
    by_weight, by_variance = np.zeros_like(weights), np.zeros_like(variances)
    table_gradients(weights, variances, steps, BOUND, values, cotangent, by_weight, by_variance)
    for k, i in ((0, 3), (0, 10), (1, 20)):
        moved = np.zeros_like(weights)
        moved[k, i] = 1e-6
        slope = (total(weights + moved, variances) - total(weights - moved, variances)) / 2e-6
        assert by_weight[k, i] == pytest.approx(slope, rel=1e-4)
    for k in range(2):
        moved = np.zeros_like(variances)
        moved[k] = 1e-8
        slope = (total(weights, variances + moved) - total(weights, variances - moved)) / 2e-8
        assert by_variance[k] == pytest.approx(slope, rel=1e-4)
