"""Priors and images for the tests, through one fixture named ``make``."""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace

import pytest
import torch

from napari_pogmdm.prior.configuration import VARIANTS, PriorConfiguration
from napari_pogmdm.prior.initial import initial_parameters
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.projections import onto_symmetric_simplex


@lru_cache
def rough_prior(configuration: PriorConfiguration | str, seed: int = 7) -> Prior:
    """A prior with random filters and uneven mixture weights, so that no symmetry hides a mistake."""
    if isinstance(configuration, str):
        configuration = VARIANTS[configuration]
    parameters = initial_parameters(configuration, seed, keep_fan_shape=True)
    generator = torch.Generator().manual_seed(seed)
    uneven = 0.2 + torch.rand(parameters["weights"].shape, generator=generator)
    parameters["weights"] = onto_symmetric_simplex(parameters["weights"] * uneven)
    if "filters" in parameters:
        parameters["filters"] = 2 * parameters["filters"]
    return Prior(configuration, parameters, "rough")


def piecewise_image(height: int, width: int, seed: int = 0) -> torch.Tensor:
    """Smooth shapes with edges in [0, 1], float64."""
    generator = torch.Generator().manual_seed(seed)
    y = torch.linspace(-1, 1, height, dtype=torch.float64)[:, None]
    x = torch.linspace(-1, 1, width, dtype=torch.float64)[None]
    image = 0.6 * ((x / 0.8) ** 2 + (y / 0.9) ** 2 < 1).double() + 0.1 * torch.sin(9 * x * y)
    for _ in range(6):
        cx, cy, r, v = (2 * torch.rand(4, generator=generator, dtype=torch.float64) - 1).tolist()
        image = image + 0.3 * v * ((x - cx) ** 2 + (y - cy) ** 2 < (0.4 * r) ** 2)
    return image.clamp(0, 1)


def noise_like(image: torch.Tensor, seed: int = 1) -> torch.Tensor:
    return torch.randn(image.shape, generator=torch.Generator().manual_seed(seed), dtype=image.dtype)


@pytest.fixture(scope="session")
def make() -> SimpleNamespace:
    """Functions that make priors, images and noise."""
    return SimpleNamespace(rough_prior=rough_prior, piecewise_image=piecewise_image, noise_like=noise_like)
