from __future__ import annotations

import torch

from napari_pogmdm.recon.classical.proximal import backtracked_step, inertia


def test_backtracking_finds_a_step_that_the_curvature_allows():
    curvature = 40.0

    def smooth(point: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return curvature / 2 * (point**2).sum(), curvature * point

    new, lipschitz = backtracked_step(smooth, lambda point, _: point, torch.ones(3), 1.0)
    assert float(smooth(new)[0]) < float(smooth(torch.ones(3))[0])
    assert curvature / 2 <= lipschitz * 1.5 <= 2 * curvature


def test_inertia_begins_at_none_and_rises_to_all_of_the_last_change():
    assert [inertia(iteration) for iteration in (0, 1, 3)] == [0, 0.25, 0.5]
    assert 0.99 < inertia(1000) < 1
