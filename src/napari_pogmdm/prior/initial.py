"""Start values of all parameters of a prior, before training."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import pad

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.banks import local_gains
from napari_pogmdm.prior.conditioning import fitted_to_heat_rule, initial_conditioning
from napari_pogmdm.prior.configuration import Conditioning, PriorConfiguration, places, shears
from napari_pogmdm.prior.experts import initial_weights
from napari_pogmdm.prior.generators import initial_generators
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.projections import onto_zero_mean, project
from napari_pogmdm.prior.shearlets import shearlet_spectra

_FREE = ("filter_size", "filter_count", "scales", "sharing", "conditioning")
"""What may differ between a prior and the trained one that it begins with."""

_FAINT = 0.2  # norm of a filter that is added, in parts of the trained ones': the score changes by a tenth


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
    return parameters | _started_rule(configuration, gains, generator)


def _started_rule(configuration: PriorConfiguration, gains: Tensor, generator: torch.Generator) -> dict[str, Tensor]:
    """Give a learned rule of time its start values, a fit to the heat rule; that one itself has none."""
    if configuration.conditioning == "heat":
        return {}
    return fitted_to_heat_rule(configuration, initial_conditioning(configuration, generator), gains)


def parameters_from(configuration: PriorConfiguration, trained: Prior, seed: int = 0) -> dict[str, Tensor]:
    """Start values from a trained prior of the same family.

    Smaller filters are set into the middle of larger ones. Filters that are added are faint at first, so that they
    hardly change the prior, and have potentials and times of trained ones. Shearlets of other scales, or that share
    potentials in another way, begin with its generators and with the potentials of the nearest shearlets. Another rule
    of time begins as a fit to the heat rule.

    Parameters
    ----------
    configuration
        What the new prior is made of.
    trained
        Whose parameters to begin with.
    seed
        Of a network that has to be begun anew.

    Raises
    ------
    InputError
        If the two differ in something else.
    """
    old = trained.configuration
    margin, odd = divmod(configuration.filter_size - old.filter_size, 2)
    added = configuration.filters - old.filters if configuration.family == "local" else 0
    free = {name: getattr(configuration, name) for name in _FREE}
    if replace(old, **free) != configuration or min(margin, added) < 0 or odd:
        raise InputError(
            f"start: {trained.name} is of another kind; filters may grow and become more, and scales, sharing and "
            "conditioning differ."
        )
    parameters = {name: values.float().clone() for name, values in trained.parameters.items()}
    if margin:
        parameters["filters"] = pad(parameters["filters"], (margin,) * 4)
    if configuration.family == "shearlet":
        parameters["weights"] = _nearest_potentials(configuration, trained)
    wanted = configuration.shapes
    if added:
        parameters |= _with_faint_filters(parameters, wanted, torch.Generator().manual_seed(seed))
    if any(name not in parameters or parameters[name].shape != shape for name, shape in wanted.items()):
        gains = Prior(replace(configuration, conditioning=Conditioning.HEAT), parameters).gains.float()
        parameters |= _started_rule(configuration, gains, torch.Generator().manual_seed(seed))
    return {name: parameters[name] for name in wanted}


def _with_faint_filters(
    parameters: Mapping[str, Tensor], wanted: Mapping[str, tuple[int, ...]], generator: torch.Generator
) -> dict[str, Tensor]:
    """Add random filters of little norm, and copies of whatever else belongs to the trained filters, in their order."""
    found = {}
    for name, values in parameters.items():
        if name in wanted and len(values) < wanted[name][0]:
            found[name] = values[torch.arange(wanted[name][0]) % len(values)]
    trained = parameters["filters"]
    shape = (wanted["filters"][0] - len(trained), *trained.shape[1:])
    drawn = onto_zero_mean(torch.randn(shape, generator=generator))
    norm = _FAINT * trained.square().sum((1, 2)).mean().sqrt()
    found["filters"] = torch.cat([trained, norm * drawn / drawn.square().sum((1, 2), keepdim=True).sqrt()])
    return found


def _nearest_potentials(configuration: PriorConfiguration, trained: Prior) -> Tensor:
    """Half weights for other scales or sharing: the mean of what the nearest trained shearlets have.

    Scales are counted from the finest, and shears in parts of the largest of their scale.
    """
    old = trained.configuration
    numbers = {place: number for number, place in enumerate(places(old.scales))}
    known = trained.parameters["weights"][list(old.assignment)]
    weights = torch.zeros(configuration.shapes["weights"], dtype=known.dtype)
    for potential, (cone, scale, shear) in zip(configuration.assignment, places(configuration.scales), strict=True):
        nearest = max(1, old.scales - configuration.scales + scale)
        turned = round(shear / shears(scale) * shears(nearest))
        weights[potential] += known[numbers[cone, nearest, turned]] / configuration.assignment.count(potential)
    return project("weights", weights.float())
