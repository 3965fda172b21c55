from __future__ import annotations

import pytest
import torch

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.recon.conjugate_gradients import (
    Effort,
    advance,
    begin,
    chainwise,
    conjugate_gradients,
    whole,
)


def hermitian(size: int, seed: int, dtype: torch.dtype = torch.complex128) -> torch.Tensor:
    """A Hermitian, positive matrix with eigenvalues from 1 on."""
    root = torch.randn(size, size, generator=torch.Generator().manual_seed(seed), dtype=dtype)
    return root @ root.mH / size + torch.eye(size, dtype=dtype)


def drawn(*shape: int, seed: int = 1, dtype: torch.dtype = torch.complex128) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def test_the_solution_is_that_of_a_dense_solve():
    matrix, target = hermitian(12, 0), drawn(12)
    exact = torch.linalg.solve(matrix, target)
    (found,) = conjugate_gradients(lambda v: (matrix @ v[0],), (torch.zeros_like(target),), (target,), Effort(12))
    torch.testing.assert_close(found, exact)


def test_a_vector_may_have_several_parts_and_start_anywhere():
    matrix, target, start = hermitian(12, 2), drawn(12), drawn(12, seed=3)
    residual = target - matrix @ start

    def split(vector: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return vector[:5], vector[5:]

    found = conjugate_gradients(lambda v: split(matrix @ torch.cat(v)), split(start), split(residual), Effort(12))
    torch.testing.assert_close(torch.cat(found), torch.linalg.solve(matrix, target))


def test_chains_do_not_know_of_each_other():
    """Each has steps of its own, so that it is the same alone and beside others."""
    matrices = torch.stack([hermitian(8, 4), 30 * hermitian(8, 5)])
    targets = drawn(2, 8, seed=6)

    def solve(chosen: slice) -> torch.Tensor:
        some, rhs = matrices[chosen], targets[chosen]
        effort = Effort(3)
        return conjugate_gradients(
            lambda v: ((some @ v[0].unsqueeze(-1)).squeeze(-1),), (torch.zeros_like(rhs),), (rhs,), effort, chainwise
        )[0]

    torch.testing.assert_close(solve(slice(None))[1:], solve(slice(1, 2)), rtol=0, atol=0)


def test_a_good_preconditioner_needs_one_step_and_changes_no_solution():
    diagonal = torch.linspace(1, 1000, 20, dtype=torch.float64)
    target = drawn(20, dtype=torch.float64)
    nothing = (torch.zeros_like(target),)
    (plain,) = conjugate_gradients(lambda v: (diagonal * v[0],), nothing, (target,), Effort(1))
    (quick,) = conjugate_gradients(
        lambda v: (diagonal * v[0],), nothing, (target,), Effort(1), precondition=lambda v: (v[0] / diagonal,)
    )
    torch.testing.assert_close(quick, target / diagonal)
    assert float((plain - target / diagonal).abs().max()) > 0.1


def test_steps_taken_one_by_one_are_those_of_the_loop():
    matrix, target = hermitian(10, 7), drawn(10)
    state = begin((torch.zeros_like(target),), (target,))
    for _ in range(4):
        state = advance(state, lambda v: (matrix @ v[0],))
    (looped,) = conjugate_gradients(lambda v: (matrix @ v[0],), (torch.zeros_like(target),), (target,), Effort(4))
    torch.testing.assert_close(state.solution[0], looped, rtol=0, atol=0)


def test_it_stops_when_it_is_good_enough_or_asked_to():
    matrix, target = hermitian(10, 8), drawn(10)
    counted: list[int] = []

    def operator(vector: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        counted.append(1)
        return (matrix @ vector[0],)

    conjugate_gradients(operator, (torch.zeros_like(target),), (target,), Effort(10, tolerance=0.5))
    assert 1 <= len(counted) < 10
    with pytest.raises(Cancelled):
        conjugate_gradients(operator, (torch.zeros_like(target),), (target,), Effort(10, lambda: True))


def test_a_vanished_residual_stays_where_it_is():
    target = torch.zeros(3, 6)
    (found,) = conjugate_gradients(lambda v: v, (torch.ones(3, 6),), (target,), Effort(3), chainwise)
    assert torch.equal(found, torch.ones(3, 6))


@pytest.mark.parametrize("inner", [whole, chainwise])
def test_inner_products_are_real_and_positive(inner):
    vector = drawn(2, 5)
    assert not inner(vector, vector).is_complex()
    assert float(inner(vector, vector).sum()) == pytest.approx(float(vector.abs().square().sum()))
