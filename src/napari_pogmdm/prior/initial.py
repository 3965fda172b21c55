"""Start values of all parameters of a prior, before training."""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import pad

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.banks import local_gains
from napari_pogmdm.prior.conditioning import fitted_to_heat_rule, initial_conditioning
from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.experts import initial_weights
from napari_pogmdm.prior.generators import initial_generators
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.projections import onto_zero_mean, project
from napari_pogmdm.prior.shearlets import shearlet_spectra


def initial_parameters(configuration: PriorConfiguration, seed: int, keep_fan_shape: bool = False) -> dict[str, Tensor]:
    """Start values of every learned tensor, inside their constraints, reproducible by seed.

    Fully learned filters start as zero-mean white noise of variance 1 / (o v^2), shearlets at their generators, and a
    learned time conditioning starts as a fit to the heat rule of these filters.

    Parameters
    ----------
    configuration
        What the prior is made of.
    seed
        Of filters and network.
    keep_fan_shape
        See `initial_generators`.
    """
    generator = torch.Generator().manual_seed(seed)
    parameters = {"weights": project("weights", initial_weights(configuration))}
    if configuration.family == "local":
        shape = configuration.shapes["filters"]
        deviation = 1 / math.sqrt(math.prod(shape))
        parameters["filters"] = onto_zero_mean(deviation * torch.randn(shape, generator=generator))
        gains = local_gains(parameters["filters"], configuration.gain)
    else:
        parameters |= initial_generators(keep_fan_shape)
        spectra = shearlet_spectra(parameters["low_pass"], parameters["fan"], configuration.scales)
        gains = spectra.abs().amax((1, 2))
    if configuration.conditioning != "heat":
        start = initial_conditioning(configuration, generator)
        parameters |= fitted_to_heat_rule(configuration, start, gains)
    return parameters


def parameters_from(configuration: PriorConfiguration, trained: Prior) -> dict[str, Tensor]:
    """Start values from a trained prior of the same kind; smaller filters are set into the middle of larger ones.

    Parameters
    ----------
    configuration
        What the new prior is made of; it may differ in the size of fully learned filters alone.
    trained
        Whose parameters to begin with.

    Raises
    ------
    InputError
        If the two differ in something else.
    """
    parameters = {name: values.float().clone() for name, values in trained.parameters.items()}
    margin, odd = divmod(configuration.filter_size - trained.configuration.filter_size, 2)
    if replace(trained.configuration, filter_size=configuration.filter_size) != configuration or margin < 0 or odd:
        raise InputError(f"start: {trained.name} is of another kind; only the size of filters may grow.")
    if margin:
        parameters["filters"] = pad(parameters["filters"], (margin,) * 4)
    return parameters
