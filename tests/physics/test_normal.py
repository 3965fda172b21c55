"""The operators of the data steps, block by block, are those that torch computes as a whole."""

from __future__ import annotations

import pytest
import torch

from napari_pogmdm.physics import coil_blocks
from napari_pogmdm.physics.normal import data_gradient, image_normal, joint_normal
from napari_pogmdm.physics.sense import Sense, image_gradient
from napari_pogmdm.physics.smooth_band import SmoothBand

ROWS, COLUMNS, COILS = 22, 17, 5


def numbers(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.complex128, generator=torch.Generator().manual_seed(seed))


@pytest.fixture(params=[1, 3], ids=["one thread", "three threads"], autouse=True)
def _threads_and_small_blocks(request, monkeypatch):
    torch.set_num_threads(request.param)
    monkeypatch.setattr(coil_blocks, "_LEAST_PIXELS", 2 * ROWS * COLUMNS)


def sense(own_masks: bool) -> Sense:
    return Sense(numbers(*(COILS,) * own_masks, ROWS, COLUMNS, seed=9).real > 0)


@pytest.mark.parametrize("own_masks", [False, True])
@pytest.mark.parametrize("chains", [1, 2])
def test_single_precision_in_blocks_equals_double_precision_by_torch(chains, own_masks):
    operator, band = sense(own_masks), SmoothBand((ROWS, COLUMNS), 3.0, 1.0)
    image, change = numbers(chains, 1, ROWS, COLUMNS, seed=1), numbers(chains, 1, ROWS, COLUMNS, seed=2)
    coils, coefficients = numbers(chains, 1, COILS, ROWS, COLUMNS, seed=3), numbers(chains, 1, COILS, 6, 6, seed=4)
    wide = [image, coils, change, coefficients]
    narrow = [array.to(torch.complex64) for array in wide]
    precise = SmoothBand((ROWS, COLUMNS), 3.0, 1.0)
    precise._rows, precise._columns = band._rows.double(), band._columns.double()
    for found, wanted in zip(
        (image_normal(operator, narrow[2], narrow[1]), *joint_normal(operator, band, *narrow)),
        (image_normal(operator, change, coils), *joint_normal(operator, precise, *wide)),
        strict=True,
    ):
        torch.testing.assert_close(found.to(wanted.dtype), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("own_masks", [False, True])
@pytest.mark.parametrize("chains", [1, 2])
@pytest.mark.parametrize("real", [False, True])
def test_the_gradient_in_blocks_equals_that_of_the_residual_as_a_whole(chains, own_masks, real):
    operator, data = sense(own_masks), numbers(COILS, ROWS, COLUMNS, seed=4)
    image, coils = numbers(chains, 1, ROWS, COLUMNS, seed=1), numbers(chains, 1, COILS, ROWS, COLUMNS, seed=3)
    image = image.real if real else image
    wanted = image_gradient(operator.residual(image[:, 0], coils[:, 0], data), coils[:, 0])
    narrow = image.float() if real else image.to(torch.complex64)
    found = data_gradient(operator, narrow, coils.to(torch.complex64), data.to(torch.complex64))
    torch.testing.assert_close(found[:, 0].to(wanted.dtype), wanted, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(data_gradient(operator, image, coils, data)[:, 0], wanted)


def test_a_real_direction_is_taken():
    operator, coils = sense(False), numbers(1, 1, COILS, ROWS, COLUMNS).to(torch.complex64)
    direction = numbers(1, 1, ROWS, COLUMNS).real.float()
    torch.testing.assert_close(
        image_normal(operator, direction, coils), image_normal(operator, direction.to(torch.complex64), coils)
    )


def test_the_joint_operator_is_hermitian():
    operator, band = sense(True), SmoothBand((ROWS, COLUMNS), 3.0, 1.0)
    image = numbers(1, 1, ROWS, COLUMNS).to(torch.complex64)
    coils = numbers(1, 1, COILS, ROWS, COLUMNS).to(torch.complex64)
    pairs = [(numbers(1, 1, ROWS, COLUMNS, seed=seed), numbers(1, 1, COILS, 6, 6, seed=seed + 1)) for seed in (5, 7)]
    first, second = ([part.to(torch.complex64) for part in pair] for pair in pairs)

    def inner(one, other):
        return sum(torch.vdot(left.flatten(), right.flatten()) for left, right in zip(one, other, strict=True))

    left = inner(second, joint_normal(operator, band, image, coils, *first))
    right = inner(joint_normal(operator, band, image, coils, *second), first)
    torch.testing.assert_close(left, right, rtol=1e-4, atol=1e-2)
