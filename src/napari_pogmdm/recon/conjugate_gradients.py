"""Conjugate gradients for the linear systems of all methods, one step at a time or to the end.

A vector is a tuple of tensors, such as an image, or an image and coil coefficients. With `chainwise`, the first axis of
every tensor counts chains, each of which has steps of its own, so that it is the same alone and beside others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from napari_pogmdm.errors import Cancelled

Vector = tuple[Tensor, ...]
Operator = Callable[[Vector], Vector]
InnerProduct = Callable[[Tensor, Tensor], Tensor]

_TINY = 1e-30  # keeps 0 / 0 of a residual that has vanished from becoming NaN; far below any float32 energy of interest


@dataclass(frozen=True)
class Effort:
    """How long to go on.

    Attributes
    ----------
    steps
        Most steps to take.
    cancelled
        Asked before every step; saying yes raises `Cancelled`.
    tolerance
        Stop once the energy of the residual is below this share of the first; 0 takes all steps.
    """

    steps: int
    cancelled: Callable[[], bool] | None = None
    tolerance: float = 0.0

    def check(self) -> None:
        """Raise `Cancelled` if somebody asked for it."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled


@dataclass(frozen=True, eq=False)
class CgState:
    """All that the next step needs.

    Attributes
    ----------
    solution, residual, direction
        Iterate, right-hand side minus what it explains, and where to go next.
    energy
        Inner product of the residual with its preconditioned self.
    """

    solution: Vector
    residual: Vector
    direction: Vector
    energy: Tensor


def whole(first: Tensor, second: Tensor) -> Tensor:
    """Real part of the inner product over all entries: the one in which gradients are gradients."""
    return torch.vdot(first.flatten(), second.flatten()).real


def chainwise(first: Tensor, second: Tensor) -> Tensor:
    """Real part of the inner product of each chain, (chains,)."""
    if first.is_complex():
        first, second = torch.view_as_real(first), torch.view_as_real(second)
    return (first * second).flatten(1).sum(dim=1)


def begin(
    start: Vector, residual: Vector, inner: InnerProduct = whole, precondition: Operator | None = None
) -> CgState:
    """Make the state before the first step.

    Parameters
    ----------
    start
        First guess of the solution.
    residual
        Right-hand side minus the operator applied to ``start``.
    inner
        `whole` or `chainwise`.
    precondition
        Cheap approximation of the operator's inverse.
    """
    towards = residual if precondition is None else precondition(residual)
    return CgState(start, residual, towards, _product(residual, towards, inner))


def advance(
    state: CgState, operator: Operator, inner: InnerProduct = whole, precondition: Operator | None = None
) -> CgState:
    """Take one step; ``operator`` is Hermitian and positive, for the other parameters see `begin`."""
    curved = operator(state.direction)
    length = state.energy / _product(state.direction, curved, inner).clamp_min(_TINY)
    solution = _moved(state.solution, length, state.direction)
    residual = _moved(state.residual, -length, curved)
    towards = residual if precondition is None else precondition(residual)
    energy = _product(residual, towards, inner)
    turn = energy / state.energy.clamp_min(_TINY)
    return CgState(solution, residual, _moved(towards, turn, state.direction), energy)


def conjugate_gradients(
    operator: Operator,
    start: Vector,
    residual: Vector,
    effort: Effort,
    inner: InnerProduct = whole,
    precondition: Operator | None = None,
) -> Vector:
    """Solve a Hermitian, positive system; for the parameters see `begin` and `advance`."""
    state = begin(start, residual, inner, precondition)
    first = state.energy
    for _ in range(effort.steps):
        effort.check()
        state = advance(state, operator, inner, precondition)
        if effort.tolerance and bool((state.energy < effort.tolerance * first).all()):
            break
    return state.solution


def _product(first: Vector, second: Vector, inner: InnerProduct) -> Tensor:
    total = inner(first[0], second[0])
    for one, other in zip(first[1:], second[1:], strict=True):
        total = total + inner(one, other)
    return total


def _moved(vector: Vector, length: Tensor, direction: Vector) -> Vector:
    """Add a multiple of a direction, with a length of its own for each chain where there are several."""
    return tuple(
        part + length.reshape(length.shape + (1,) * (way.ndim - length.ndim)) * way
        for part, way in zip(vector, direction, strict=True)
    )
