from __future__ import annotations

import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan, simulated_coils
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.recon.coils.null_space import null_space_residual

SHAPE = (96, 80)


@pytest.fixture(scope="module")
def kspace() -> torch.Tensor:
    return torch.from_numpy(simulate_scan(shepp_logan(SHAPE), coils=6, noise=0.03).kspace)


@pytest.fixture(scope="module")
def coils() -> torch.Tensor:
    return torch.from_numpy(simulated_coils(6, SHAPE))


@pytest.fixture(scope="module")
def head() -> torch.Tensor:
    return torch.from_numpy(shepp_logan(SHAPE)) > 0.1


def test_true_coils_leave_only_noise_in_the_null_space(kspace, coils, head):
    images = to_image(kspace)
    residual = null_space_residual(coils, images)[head]
    assert float(residual.mean()) < 0.13
    assert float(null_space_residual(coils.roll(1, dims=0), images)[head].mean()) > 0.2
