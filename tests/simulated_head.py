"""Fixtures of a simulated head with six coils, for the folders whose conftest imports them."""

from __future__ import annotations

import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan, simulated_coils

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
