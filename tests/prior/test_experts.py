from __future__ import annotations

import pytest
import torch

from napari_pogmdm.prior.experts import activation, potential


def test_potential_contains_the_normaliser_and_integrates_to_one() -> None:
    """psi_k has the factor (2 pi sigma_k^2)^(-1/2); the paper's d-dimensional normaliser has the wrong sign."""
    weights = torch.tensor([0.25, 0.5, 0.25], dtype=torch.float64)
    positions = torch.tensor([-0.5, 0.0, 0.5], dtype=torch.float64)
    grid = torch.linspace(-4, 4, 8001, dtype=torch.float64)
    density = (-potential(grid, weights, positions, torch.tensor(0.09, dtype=torch.float64))).exp()
    assert torch.trapezoid(density, grid).item() == pytest.approx(1.0, abs=1e-9)


def test_activation_is_the_derivative_of_the_potential() -> None:
    weights = torch.tensor([0.1, 0.8, 0.1], dtype=torch.float64)
    positions = torch.tensor([-0.5, 0.0, 0.5], dtype=torch.float64)
    grid = torch.linspace(-2, 2, 301, dtype=torch.float64).requires_grad_()
    variance = torch.tensor(0.04, dtype=torch.float64)
    (slope,) = torch.autograd.grad(potential(grid, weights, positions, variance).sum(), grid)
    torch.testing.assert_close(activation(grid.detach(), weights, positions, variance), slope)
