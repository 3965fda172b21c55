from __future__ import annotations

import pytest
import torch

from napari_pogmdm.physics.coils import low_pass_coils, normalise, root_sum_of_squares

SHAPE = (96, 80)


def agreement(found: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
    """1 where coil vectors are parallel, whatever the pixel's phase."""
    return torch.linalg.vecdot(normalise(found), normalise(true), dim=0).abs()


def test_low_pass_coils_are_close_to_the_true_ones(kspace, coils, head):
    found = low_pass_coils(kspace, (20, 20))
    torch.testing.assert_close(root_sum_of_squares(found), torch.ones(SHAPE))
    assert float(agreement(found, coils)[head].mean()) > 0.99


def test_normalise_survives_pixels_without_any_coil():
    coils = torch.randn(3, 4, 4, dtype=torch.complex64)
    coils[:, 0, 0] = 0
    unit = normalise(coils)
    assert torch.isfinite(torch.view_as_real(unit)).all()
    assert float(root_sum_of_squares(unit)[1, 1]) == pytest.approx(1)
    assert float(normalise(torch.zeros(2, 3, 3)).abs().max()) == 0
