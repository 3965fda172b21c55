"""Tables of the potentials' derivatives at one noise level."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.prior.scores.table_kernels import fill_table

DENSITY = 16
"""Nodes per standard deviation of a component; linear interpolation then errs by less than one in a thousand."""

MOST_NODES = 8192
"""Bounds memory and time; shipped priors need 1100 at the levels of the samplers. At more, nodes lie further apart."""

_FEWEST_NODES = 8  # so that there is a slope to go on with beyond the last of them
_REACH = 6.0  # standard deviations of components and of noise; beyond, the outermost component rules: a straight line


@dataclass(frozen=True)
class Table:
    """The derivative of every potential on an equispaced grid of non-negative arguments.

    The functions are odd and, far out, linear; so the grid starts at zero and its last slope continues beyond it.

    Attributes
    ----------
    values
        d/du(-log psi_k) at the nodes, (filters, nodes) float64.
    steps
        Distance between the nodes of each filter, (filters,) float64.
    cells
        Value at a cell's left node and the difference to its right node, (filters, nodes - 1, 2) float32.
    inverse_steps
        One over ``steps``, float32.
    """

    values: NDArray[np.float64]
    steps: NDArray[np.float64]
    cells: NDArray[np.float32]
    inverse_steps: NDArray[np.float32]
    _placed: dict[tuple[Any, ...], tuple[Tensor, Tensor]] = field(default_factory=dict, compare=False, repr=False)

    def on(self, like: Tensor) -> tuple[Tensor, Tensor]:
        """Give values and steps on the device and in the type of a tensor; they are sent there once."""
        key = (like.device, like.dtype)
        if key not in self._placed:
            self._placed[key] = (torch.from_numpy(self.values).to(like), torch.from_numpy(self.steps).to(like))
        return self._placed[key]

    def of_filter(self, k: int) -> Table:
        """Give the table of one filter alone."""
        only = slice(k, k + 1)
        return Table(self.values[only], self.steps[only], self.cells[only], self.inverse_steps[only])


def build_table(
    weights: NDArray[np.float64],
    variances: NDArray[np.float64],
    spreads: NDArray[np.float64],
    bound: float,
    density: int = DENSITY,
) -> Table:
    """Tabulate the mixtures of all filters at one noise level.

    Parameters
    ----------
    weights
        Of the mixtures, (filters, components).
    variances
        sigma_k^2 at this level, (filters,).
    spreads
        Standard deviation that the level's noise has in each filter's response, (filters,); sets how far the grid
        reaches.
    bound
        Largest mean.
    density
        Nodes per sigma_k.
    """
    deviations = np.sqrt(variances)
    reach = bound + _REACH * deviations + _REACH * spreads
    nodes = min(MOST_NODES, max(_FEWEST_NODES, math.ceil(float((reach / deviations).max()) * density))) + 1
    steps = reach / (nodes - 1)
    values = np.empty((weights.shape[0], nodes))
    fill_table(weights, variances, steps, bound, values)
    cells = np.stack([values[:, :-1], np.diff(values, axis=1)], axis=-1).astype(np.float32)
    return Table(values, steps, cells, (1.0 / steps).astype(np.float32))
