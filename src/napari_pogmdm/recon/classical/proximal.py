"""A proximal-gradient step whose length is found by backtracking."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from napari_pogmdm.physics.encoding.encoding import FourierEncoding
from napari_pogmdm.recon.conjugate_gradients import whole

Smooth = Callable[[Tensor], tuple[Tensor, Tensor]]
Prox = Callable[[Tensor, float], Tensor]
# The three are those of the authors' joint TV.
_TRIES = 10  # doublings, so the constant may grow a thousandfold in one step; then the step is taken as it is
_SLACK = 1.01  # of the bound: one per cent against rounding; without it, steps shrink for nothing near the end
_RELAXATION = 1.5  # by which the constant shrinks after each step, so that steps can grow again


def inertia(iteration: int) -> float:
    """Share of the last change by which an accelerated method goes on before a step: k / (k + 3), rising to 1."""
    return iteration / (iteration + 3)


def backtracked_step(
    smooth: Smooth, prox: Prox, point: Tensor, lipschitz: float, encoding: FourierEncoding | None = None
) -> tuple[Tensor, float]:
    """Step from ``point`` along the negative gradient of ``smooth``, then apply ``prox``.

    The step is 1 / lipschitz; the constant is doubled until the quadratic bound it stands for holds (with one per cent
    of slack against rounding), and handed back a little smaller for the next step to try.

    Parameters
    ----------
    smooth
        Returns value and gradient at a point.
    prox
        Takes a point and the step, returns a point.
    point
        To step from.
    lipschitz
        Constant to try first.
    encoding
        Of the data, for an image: where some frequencies were measured more often than others, steps are taken, and
        lengths measured, with each frequency counted as often as it was measured.

    Returns
    -------
    The new point and the constant to begin the next step with.
    """
    value, gradient = smooth(point)
    uneven = None if encoding is None or encoding.uniform else encoding
    way = gradient if uneven is None else uneven.inverse(0.0)(gradient)
    for _ in range(_TRIES):
        new = prox(point - way / lipschitz, 1 / lipschitz)
        moved = new - point
        length = whole(moved, moved) if uneven is None else moved.numel() * uneven.seen_energy(moved[None])[0]
        bound = value + whole(gradient, moved) + lipschitz / 2 * length
        if float(smooth(new)[0]) <= _SLACK * float(bound):
            break
        lipschitz *= 2
    return new, lipschitz / _RELAXATION
