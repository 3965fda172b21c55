"""Tables of the potentials' derivatives at one noise level."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.prior.scores.table_kernels import fill_table

DENSITY = 16
"""Nodes per standard deviation of a component; linear interpolation then errs by less than one in a thousand."""

MOST_NODES = 8192


@dataclass(frozen=True)
class Table:
    """The derivative of every potential on an equispaced grid of non-negative arguments.

    The functions are odd and, far out, linear; so the grid starts at zero and its last slope continues beyond it.

    Parameters
    ----------
    values : (filters, nodes) float64
        d/du(-log psi_k) at the nodes.
    steps : (filters,) float64
        Distance between the nodes of each filter.
    cells : (filters, nodes - 1, 2) float32
        Value at a cell's left node and the difference to its right node.
    inverse_steps : (filters,) float32
    """

    values: NDArray[np.float64]
    steps: NDArray[np.float64]
    cells: NDArray[np.float32]
    inverse_steps: NDArray[np.float32]

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
    weights : (filters, components)
    variances : (filters,)
        sigma_k^2 at this level.
    spreads : (filters,)
        Standard deviation that the level's noise has in each filter's response; sets how far the grid reaches.
    bound : float
        Largest mean.
    density : int
        Nodes per sigma_k.
    """
    deviations = np.sqrt(variances)
    reach = bound + 6.0 * deviations + 6.0 * spreads
    nodes = min(MOST_NODES, max(8, math.ceil(float((reach / deviations).max()) * density))) + 1
    steps = reach / (nodes - 1)
    values = np.empty((weights.shape[0], nodes))
    fill_table(weights, variances, steps, bound, values)
    cells = np.stack([values[:, :-1], np.diff(values, axis=1)], axis=-1).astype(np.float32)
    return Table(values, steps, cells, (1.0 / steps).astype(np.float32))
