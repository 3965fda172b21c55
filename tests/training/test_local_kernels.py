from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.prior.scores.convolution_kernels import look_up
from napari_pogmdm.training.local_kernels import patch_loss_and_gradients, spread


def test_the_gradient_of_a_look_up_reaches_its_nodes_and_responses():
    values = np.array([0.0, 1.0, 4.0, 9.0], dtype=np.float32)
    responses = np.array([0.2, 0.7, -1.1, 2.0], dtype=np.float32)
    pulled = np.array([1.0, -2.0, 0.5, 3.0], dtype=np.float32)

    def total(table: np.ndarray, points: np.ndarray) -> float:
        cells = np.stack([table[:-1], np.diff(table)], axis=-1).astype(np.float32)
        out = np.empty(4, dtype=np.float32)
        look_up(points.astype(np.float32), cells, np.float32(2.0), out)
        return float((pulled * out).sum())

    cells = np.stack([values[:-1], np.diff(values)], axis=-1)
    slopes, nodes = np.empty(4, dtype=np.float32), np.zeros(4)
    spread(responses, pulled, cells, np.float32(2.0), slopes, nodes)
    for node in range(1, 4):
        change = np.eye(4)[node] * 0.125
        numeric = (total(values + change, responses) - total(values - change, responses)) / 0.25
        assert nodes[node] == pytest.approx(numeric, rel=1e-3)
    for point in range(4):
        change = np.eye(4)[point] * 2**-6
        numeric = (total(values, responses + change) - total(values, responses - change)) * 2**5
        assert slopes[point] == pytest.approx(numeric, rel=1e-3)


def test_without_filters_the_loss_is_the_power_of_the_noise_inside():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((16, 16)).astype(np.float32)
    filters = np.zeros((2, 3, 3), dtype=np.float32)
    cells = np.ones((2, 4, 2), dtype=np.float32)
    loss = patch_loss_and_gradients(
        noise,
        noise,
        np.float32(0.1),
        np.float32(0.5),
        filters,
        cells,
        np.ones(2, dtype=np.float32),
        np.zeros((2, 3, 3)),
        np.zeros((2, 5)),
    )
    assert loss == pytest.approx(0.5 * float((noise[2:-2, 2:-2] ** 2).mean()), rel=1e-5)
