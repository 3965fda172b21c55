"""Samples along a trajectory: adjoints, the Toeplitz operator, the grid as a special case, filters and noise."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.physics.encoding.grid import GridEncoding
from napari_pogmdm.physics.encoding.toeplitz import ToeplitzEncoding
from napari_pogmdm.physics.trajectories.kinds import make_trajectory

SHAPES = [(32, 24), (31, 25), (40, 40)]


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, dtype=torch.complex64, generator=torch.Generator().manual_seed(seed))


def scattered(count: int = 700) -> torch.Tensor:
    return torch.rand((count, 2), generator=torch.Generator().manual_seed(3)) - 0.5


def grid(shape: tuple[int, int]) -> torch.Tensor:
    axes = [(torch.arange(size) - size // 2) / size for size in shape]
    return torch.stack(torch.meshgrid(*axes, indexing="ij"), dim=-1).reshape(-1, 2)


def relative(found: torch.Tensor, expected: torch.Tensor) -> float:
    return float(torch.linalg.vector_norm(found - expected) / torch.linalg.vector_norm(expected))


def product(first: torch.Tensor, second: torch.Tensor) -> complex:
    return complex(torch.vdot(first.flatten().to(torch.complex128), second.flatten().to(torch.complex128)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("per_coil", [False, True])
def test_adjoint_and_toeplitz(shape, per_coil):
    """<E z, y> = <z, E^H y>, and two padded FFTs do what a non-uniform transform there and back does."""
    kept = torch.rand((3, 700), generator=torch.Generator().manual_seed(5)) < 0.8 if per_coil else None
    encoding = ToeplitzEncoding(scattered(), shape, kept)
    z, y = random(3, *shape), random(3, 700, seed=1)
    left, right = product(encoding.forward(z), y), product(z, encoding.adjoint(y))
    assert abs(left - right) < 1e-5 * abs(left)
    assert relative(encoding.resample(z), encoding.adjoint(encoding.forward(z))) < 1e-5


@pytest.mark.parametrize("shape", SHAPES)
def test_places_on_the_grid_give_what_the_mask_gives(shape):
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(2)) < 0.4
    along, masked = ToeplitzEncoding(grid(shape)[mask.flatten()], shape), GridEncoding(mask)
    z = random(3, *shape)
    assert relative(along.forward(z), masked.forward(z)[:, mask]) < 1e-5
    assert relative(along.resample(z), masked.resample(z)) < 1e-5
    assert along.share == pytest.approx(masked.share)


def test_the_transform_is_the_sum_that_defines_it():
    shape, places = (6, 5), scattered(7)
    z = random(*shape)
    down, across = (torch.arange(size) - size // 2 for size in shape)
    phase = places[:, 0, None, None] * down[:, None] + places[:, 1, None, None] * across
    direct = (z * torch.exp(-2j * np.pi * phase)).sum(dim=(1, 2)) / np.sqrt(30)
    assert relative(ToeplitzEncoding(places, shape).forward(z), direct) < 1e-5


def test_energy_is_that_of_the_samples():
    shape = (24, 20)
    encoding = ToeplitzEncoding(scattered(), shape)
    z, y = random(3, *shape), random(3, 700, seed=1)
    zero_filled = encoding.adjoint(y)
    power = float(y.abs().square().sum())
    found = encoding.energy(zero_filled - encoding.resample(z), z, zero_filled, power)
    assert float(found) == pytest.approx(float((y - encoding.forward(z)).abs().square().sum()), rel=1e-4)


def test_filters_undo_the_density_of_spokes():
    """The middle of k-space is measured once a spoke: conjugate gradients would be slow without a preconditioner."""
    trajectory = make_trajectory("radial", (48, 48), 60)
    encoding = trajectory.encoding(torch.ones(len(trajectory.positions), dtype=torch.bool))
    assert float(encoding.density.max()) > 40
    smooth = torch.fft.ifftn(torch.fft.fftn(random(48, 48)) * (encoding.density > 0.5))
    inside = torch.zeros(48, 48)
    inside[12:36, 12:36] = 1
    smooth = smooth * inside
    seen = encoding.resample(smooth[None])[0]
    assert relative(encoding.inverse(0.0)(seen), smooth) < 0.35 * relative(seen, smooth)
    assert float(encoding.seen_energy(smooth[None])[0]) == pytest.approx(
        product(smooth, seen).real / smooth.numel(), rel=0.1
    )


def test_noise_is_the_adjoint_of_white_noise_and_can_be_made_white():
    trajectory = make_trajectory("golden-radial", (40, 40), 40)
    encoding = trajectory.encoding(torch.ones(len(trajectory.positions), dtype=torch.bool))
    drawn = torch.stack([encoding.noise(2, torch.Generator().manual_seed(seed)) for seed in range(60)])
    assert float(drawn.real.square().mean()) == pytest.approx(encoding.share, rel=0.05)
    white = encoding.whitened(drawn)
    assert float(white.real.square().mean()) == pytest.approx(encoding.whitened_share, rel=0.05)
    again = encoding.noise(2, torch.Generator().manual_seed(0))
    assert torch.equal(again, drawn[0])
    on_grid = GridEncoding(torch.ones(40, 40, dtype=torch.bool))
    assert float(on_grid.noise(4, torch.Generator().manual_seed(0)).imag.std()) == pytest.approx(1, rel=0.05)
