"""Constraints of the parameters."""

from __future__ import annotations

import torch

from napari_pogmdm.prior.projections import (
    SMALLEST_WEIGHT,
    mirrored,
    onto_simplex,
    onto_unit_l1_sphere,
    onto_unit_sum,
    onto_zero_mean,
    project,
)


def draw(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_simplex_projection_is_the_nearest_point() -> None:
    vector = draw(30)
    projected = onto_simplex(vector)
    assert (projected >= 0).all()
    torch.testing.assert_close(projected.sum(), torch.tensor(1.0, dtype=torch.float64))
    # optimality: the residual's inner product with every direction to a vertex is not positive
    for vertex in torch.eye(30, dtype=torch.float64):
        assert ((vector - projected) * (vertex - projected)).sum() <= 1e-12
    torch.testing.assert_close(onto_simplex(projected), projected)


def test_weights_are_projected_as_mirrored_vectors() -> None:
    half = project("weights", draw(4, 63))
    full = mirrored(half)
    assert (half >= SMALLEST_WEIGHT).all()
    torch.testing.assert_close(full.sum(-1), torch.ones(4, dtype=torch.float64))


def test_other_constraints() -> None:
    assert onto_zero_mean(draw(5, 5, 5)).mean((1, 2)).abs().max() < 1e-15
    torch.testing.assert_close(onto_unit_sum(draw(9)).sum(), torch.tensor(1.0, dtype=torch.float64))
    fan = draw(17, 17)
    projected = onto_unit_l1_sphere(fan)
    torch.testing.assert_close(projected.abs().sum(), torch.tensor(1.0, dtype=torch.float64))
    assert (projected * fan >= 0).all()
    assert (project("time.scale", draw(20)) > 0).all()
    torch.testing.assert_close(project("time.slope", fan), fan)


def test_mirroring_counts_the_centre_once() -> None:
    """62 weights are mirrored and one is the centre: 125 in all."""
    full = mirrored(torch.arange(63.0))
    assert full.shape == (125,)
    assert full[62] == 0
    torch.testing.assert_close(full, full.flip(0))
