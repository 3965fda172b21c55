"""The compiled loops of the data step are what they replace."""

from __future__ import annotations

import pytest
import torch

from napari_pogmdm.physics.coil_kernels import combine_sets, linearised, linearised_adjoint, seen

ROWS, COLUMNS, COILS = 17, 12, 3


def numbers(*shape: int, dtype: torch.dtype = torch.complex64) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.complex128, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"], autouse=True)
def _threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("chains", [1, 2])
def test_compiled_loops_equal_torch(chains):
    """Double precision takes the way of torch's operations, single precision the compiled one."""
    image, moved = numbers(chains, 1, ROWS, COLUMNS), numbers(chains, 1, ROWS, COLUMNS) * 1j
    coils, change = numbers(chains, 1, COILS, ROWS, COLUMNS), numbers(chains, 1, COILS, ROWS, COLUMNS) + 1
    wide = [array.to(torch.complex128) for array in (image, moved, coils, change)]
    response = numbers(chains, COILS, ROWS, COLUMNS)
    slow = linearised(wide[3].clone(), wide[0], wide[2], wide[1])
    torch.testing.assert_close(
        linearised(change.clone(), image, coils, moved).to(slow.dtype), slow, rtol=1e-5, atol=1e-5
    )
    for_image, for_coils = linearised_adjoint(response.to(torch.complex128), wide[0], wide[2])
    fast_image, fast_coils = linearised_adjoint(response.clone(), image, coils)
    torch.testing.assert_close(fast_image.to(for_image.dtype), for_image, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(fast_coils.to(for_coils.dtype), for_coils, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(
        combine_sets(response, coils).to(for_image.dtype), combine_sets(response.to(torch.complex128), wide[2]),
        rtol=1e-5, atol=1e-5,
    )  # fmt: skip


@pytest.mark.parametrize("sets", [1, 2])
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_the_linearised_operator_is_adjoint(sets, dtype):
    image, moved = numbers(2, sets, ROWS, COLUMNS, dtype=dtype), numbers(2, sets, ROWS, COLUMNS, dtype=dtype) * 1j
    coils = numbers(2, sets, COILS, ROWS, COLUMNS, dtype=dtype)
    change, response = coils * 1j + 1, numbers(2, COILS, ROWS, COLUMNS, dtype=dtype)
    left = torch.vdot(linearised(change.clone(), image, coils, moved).flatten(), response.flatten())
    for_image, for_coils = linearised_adjoint(response.clone(), image, coils)
    right = torch.vdot(moved.flatten(), for_image.flatten()) + torch.vdot(change.flatten(), for_coils.flatten())
    torch.testing.assert_close(left, right, rtol=1e-4, atol=1e-3)


def test_it_is_the_derivative_of_what_is_seen():
    image, coils = numbers(1, 1, ROWS, COLUMNS), numbers(1, 1, COILS, ROWS, COLUMNS)
    moved, change = 1e-3 * numbers(1, 1, ROWS, COLUMNS) * 1j, 1e-3 * (coils + 1)
    difference = seen(image + moved, coils + change) - seen(image, coils)
    torch.testing.assert_close(linearised(change.clone(), image, coils, moved), difference, rtol=1e-3, atol=1e-4)


def test_lazily_conjugated_and_expanded_arrays_are_understood():
    image = numbers(1, 1, ROWS, COLUMNS).expand(2, -1, -1, -1)
    coils = numbers(1, 1, COILS, ROWS, COLUMNS).conj().expand(2, -1, -1, -1, -1)
    response = numbers(2, COILS, ROWS, COLUMNS)
    expected = (coils.conj() * response.unsqueeze(1)).sum(dim=-3)
    torch.testing.assert_close(combine_sets(response, coils), expected)
    torch.testing.assert_close(linearised_adjoint(response.clone(), image, coils)[0], expected)
    product = image.conj().unsqueeze(-3) * response.unsqueeze(1)
    for shown in (response.conj().clone().conj(), response[:1].expand(2, -1, -1, -1)):
        for_image, for_coils = linearised_adjoint(shown, image, coils)
        alike = torch.equal(shown[1], response[1])
        torch.testing.assert_close(for_image[0], expected[0])
        torch.testing.assert_close(for_coils[0], product[0])
        torch.testing.assert_close(for_coils[1], product[1] if alike else image[1].conj() * response[:1])
    torch.testing.assert_close(combine_sets(response[:1], coils)[1], combine_sets(response[:1], coils[:1])[0])
