"""One proximal-gradient step whose length finds itself by backtracking."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from napari_pogmdm.recon.conjugate_gradients import whole

Smooth = Callable[[Tensor], tuple[Tensor, Tensor]]
Prox = Callable[[Tensor, float], Tensor]
_TRIES = 10
_SLACK = 1.01


def backtracked_step(smooth: Smooth, prox: Prox, point: Tensor, lipschitz: float) -> tuple[Tensor, float]:
    """Step from ``point`` along the negative gradient of ``smooth``, then apply ``prox``.

    The step is 1 / lipschitz; the constant is doubled until the quadratic bound it stands for holds (with one per cent
    of slack against rounding), and handed back a little smaller for the next step to try.

    Parameters
    ----------
    smooth
        Returns value and gradient at a point.
    prox
        Takes a point and the step, returns a point.

    Returns
    -------
    The new point and the constant to begin the next step with.
    """
    value, gradient = smooth(point)
    for _ in range(_TRIES):
        new = prox(point - gradient / lipschitz, 1 / lipschitz)
        moved = new - point
        bound = value + whole(gradient, moved) + lipschitz / 2 * whole(moved, moved)
        if float(smooth(new)[0]) <= _SLACK * float(bound):
            break
        lipschitz *= 2
    return new, lipschitz / 1.5
