"""Looking up filter responses in a table, by torch operations."""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.prior.scores.table import Table


def interpolate(responses: Tensor, table: Table, filters: slice = slice(None)) -> Tensor:
    """Evaluate the tabulated derivatives with torch operations, on the responses' device and in their float type.

    Parameters
    ----------
    responses
        (..., filters, height, width).
    table
        Derivatives of the potentials at the noise level.
    filters
        Which of the table's filters the responses belong to.
    """
    all_values, all_steps = table.on(responses)
    values, steps = all_values[filters], all_steps[filters].reshape(-1, 1, 1)
    nodes = values.shape[1]
    position = responses.abs() / steps
    cell = position.floor().clamp_max(nodes - 2)
    first = cell.long() + nodes * torch.arange(values.shape[0], device=responses.device).reshape(-1, 1, 1)
    flat = values.flatten()
    left = flat[first]
    result = left + (position - cell) * (flat[first + 1] - left)
    return result * responses.sign()
