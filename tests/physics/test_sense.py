"""Adjoints, gradients and the fast paths, in both precisions."""

from __future__ import annotations

import pytest
import torch

from napari_pogmdm.physics.encoding.grid import GridEncoding
from napari_pogmdm.physics.sense import Sense, coil_gradient, combine, image_gradient

SHAPES = [(32, 24), (31, 24), (17, 23)]


PRECISIONS = [(torch.complex64, 1e-5), (torch.complex128, 1e-12)]


def random(*shape: int, dtype: torch.dtype = torch.complex128, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def masks(shape: tuple[int, int]) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    columns = torch.rand(shape[1], generator=generator) < 0.4
    rows = torch.rand(shape[0], generator=generator) < 0.4
    return {
        "columns": columns.expand(shape).clone(),
        "rows": rows[:, None].expand(shape).clone(),
        "points": torch.rand(shape, generator=generator) < 0.4,
        "all": torch.ones(shape, dtype=torch.bool),
    }


def data_energy(residual: torch.Tensor) -> torch.Tensor:
    """Half the squared norm: the transform of the grid is orthonormal, so that of the images is that of the samples."""
    return 0.5 * torch.linalg.vector_norm(residual) ** 2


def relative(first: torch.Tensor, second: torch.Tensor) -> float:
    return float(torch.linalg.vector_norm(first - second) / torch.linalg.vector_norm(second))


@pytest.mark.parametrize("kind", ["columns", "rows", "points", "all"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_sense_is_adjoint_and_its_fast_paths_equal_the_general_one(kind, shape, dtype, tolerance):
    mask = masks(shape)[kind]
    sense, general = Sense(mask), Sense(GridEncoding(mask, exploit_lines=False))
    x, coils = random(*shape, dtype=dtype), random(5, *shape, dtype=dtype, seed=1)
    y = random(5, *shape, dtype=dtype, seed=2)
    scale = torch.linalg.vector_norm(x) * torch.linalg.vector_norm(y) * coils.abs().max()
    left = torch.vdot(sense.forward(x, coils).flatten(), y.flatten())
    right = torch.vdot(x.flatten(), sense.adjoint(y, coils).flatten())
    assert abs(left - right) < tolerance * scale
    direct = sense.adjoint(sense.forward(x, coils), coils)
    assert relative(sense.normal(x, coils), direct) < 10 * tolerance
    assert relative(general.normal(x, coils), direct) < 10 * tolerance
    assert len(sense.encoding.axes) == {"columns": 1, "rows": 1, "points": 2, "all": 0}[kind]


@pytest.mark.parametrize("kind", ["columns", "points"])
def test_residual_has_the_norm_of_the_k_space_residual(kind):
    shape = (17, 24)
    mask = masks(shape)[kind]
    sense = Sense(mask)
    x, coils, y = random(*shape), random(3, *shape, seed=1), random(3, *shape, seed=2) * mask
    residual = sense.residual(x, coils, sense.zero_filled(y))
    direct = 0.5 * torch.linalg.vector_norm(sense.forward(x, coils) - y) ** 2
    torch.testing.assert_close(data_energy(residual), direct)


@pytest.mark.parametrize("kind", ["columns", "rows", "points"])
def test_gradients_agree_with_finite_differences(kind):
    """A missing conjugate in the coil gradient, or a wrong sign, fails here."""
    shape = (9, 12)
    mask = masks(shape)[kind]
    sense = Sense(mask)
    x, coils, y = random(*shape), random(3, *shape, seed=1), random(3, *shape, seed=2) * mask
    zero_filled = sense.zero_filled(y)

    def energy(image: torch.Tensor, maps: torch.Tensor) -> float:
        return float(data_energy(sense.residual(image, maps, zero_filled)))

    residual = sense.residual(x, coils, zero_filled)
    step = 1e-6
    for seed in range(3):
        dx, ds = random(*shape, seed=10 + seed), random(3, *shape, seed=20 + seed)
        numeric = (energy(x + step * dx, coils) - energy(x - step * dx, coils)) / (2 * step)
        analytic = float(torch.vdot(image_gradient(residual, coils).flatten(), dx.flatten()).real)
        assert numeric == pytest.approx(analytic, rel=1e-6)
        numeric = (energy(x, coils + step * ds) - energy(x, coils - step * ds)) / (2 * step)
        analytic = float(torch.vdot(coil_gradient(residual, x).flatten(), ds.flatten()).real)
        assert numeric == pytest.approx(analytic, rel=1e-6)


def test_operators_take_batches_and_autograd():
    shape = (12, 10)
    sense = Sense(masks(shape)["points"])
    images, coils = random(4, *shape), random(4, 3, *shape, seed=1)
    together = sense.normal(images, coils)
    alone = torch.stack([sense.normal(image, maps) for image, maps in zip(images, coils, strict=True)])
    torch.testing.assert_close(together, alone)
    x = images[0].clone().requires_grad_()
    data_energy(sense.residual(x, coils[0], torch.zeros_like(coils[0]))).backward()
    torch.testing.assert_close(x.grad, sense.normal(images[0], coils[0]))


def test_combine_conjugates_the_coils():
    coils, images = random(3, 4, 5), random(3, 4, 5, seed=1)
    torch.testing.assert_close(combine(images, coils), (coils.conj() * images).sum(dim=0))


@pytest.mark.parametrize("kind", ["columns", "points"])
def test_a_mask_for_every_coil_is_the_mask_of_that_coil(kind):
    shape = (31, 24)
    common = masks(shape)[kind]
    mask = torch.stack([common, common & (torch.arange(shape[1]) % 3 > 0), common])
    coils, image = random(2, 3, *shape), random(2, *shape, seed=1)
    sense = Sense(mask)
    for coil in range(3):
        alone = Sense(mask[coil])
        one = slice(coil, coil + 1)
        assert relative(sense.forward(image, coils)[:, one], alone.forward(image, coils[:, one])) < 1e-12
        assert relative(sense.resample(coils)[:, one], alone.resample(coils[:, one])) < 1e-12
    same = Sense(common.expand(3, *shape))
    assert torch.equal(same.resample(coils), Sense(common).resample(coils))
