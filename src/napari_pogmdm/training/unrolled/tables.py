"""Tables of a prior at several noise levels, and the way of their gradients back to its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.prior.banks import local_gains
from napari_pogmdm.prior.conditioning import variances
from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.experts import filter_weights
from napari_pogmdm.prior.scores.table import Table
from napari_pogmdm.training.losses import TRAINING_DENSITY, MixtureGradients


@dataclass(frozen=True, eq=False)
class Level:
    """A prior of small filters at one noise level.

    Attributes
    ----------
    sigma
        Noise standard deviation.
    filters
        (filters, taps, taps).
    table
        Derivatives of the potentials.
    """

    sigma: float
    filters: NDArray[np.float32]
    table: Table


class LevelGradient:
    """Gradient with respect to a level's filters and to the nodes of its table, which is added to.

    Parameters
    ----------
    level
        Whose.
    """

    def __init__(self, level: Level) -> None:
        self.filters = np.zeros(level.filters.shape)
        self.nodes = np.zeros_like(level.table.values)


class Tables:
    """All levels that an iteration of training visits.

    Parameters
    ----------
    configuration
        Of the prior, whose filters are small.
    parameters
        Its learned tensors, which require gradients.
    sigmas
        The noise levels.
    """

    def __init__(
        self, configuration: PriorConfiguration, parameters: Mapping[str, Tensor], sigmas: Sequence[float]
    ) -> None:
        self._parameters = dict(parameters)
        filters = parameters["filters"]
        self._weights = filter_weights(configuration, parameters["weights"])
        gains = local_gains(filters, configuration.gain)
        self._variances = variances(configuration, parameters, gains, torch.tensor(sigmas, dtype=filters.dtype))
        self._mixture = MixtureGradients(self._weights, self._variances, configuration.bound, TRAINING_DENSITY)
        kernels = filters.detach().float().contiguous().numpy()
        norms = np.sqrt((kernels.astype(np.float64) ** 2).sum(axis=(1, 2)))
        self.levels = tuple(
            Level(sigma, kernels, self._mixture.table(number, norms * sigma)) for number, sigma in enumerate(sigmas)
        )

    def pull_back(self, gradients: Sequence[tuple[int, LevelGradient]]) -> dict[str, Tensor]:
        """Carry gradients of levels, each with the number of its level, back to the parameters, by name."""
        filters = np.zeros(self.levels[0].filters.shape)
        nodes: dict[int, NDArray[np.float64]] = {}
        for number, gradient in gradients:
            filters += gradient.filters
            nodes[number] = nodes.get(number, 0.0) + gradient.nodes
        for number, sums in nodes.items():
            self._mixture.pull_back(number, self.levels[number].table, sums)
        outputs = (self._parameters["filters"], self._weights, self._variances)
        found = (filters, self._mixture.weight_gradient, self._mixture.variance_gradient)
        given = [torch.from_numpy(array).to(output.dtype) for array, output in zip(found, outputs, strict=True)]
        pulled = torch.autograd.grad(outputs, tuple(self._parameters.values()), given)
        return dict(zip(self._parameters, pulled, strict=True))
