"""How the variances of the experts follow the noise level."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn.functional import elu, linear, softplus

from napari_pogmdm.prior.configuration import PriorConfiguration


def variances(
    configuration: PriorConfiguration, parameters: Mapping[str, Tensor], gains: Tensor, sigma: Tensor
) -> Tensor:
    """Variances sigma_k^2(t) of every expert at noise levels sigma = sqrt(2t).

    Heat conditioning is sigma_0^2 + nu_k^2 2t, which is exact for ideal filters; the learned rules replace the
    second term by a positive function of sqrt(2t).

    Parameters
    ----------
    gains : (filters,)
        nu_k, used by heat conditioning only.
    sigma : (levels,)
        Noise standard deviations.

    Returns
    -------
    Tensor
        Shape (levels, filters).
    """
    column = sigma.reshape(-1, 1)
    if configuration.conditioning == "heat":
        added = gains**2 * column**2
    elif configuration.conditioning == "network":
        hidden = elu(linear(column, parameters["time.0.weight"], parameters["time.0.bias"]))
        hidden = elu(linear(hidden, parameters["time.1.weight"], parameters["time.1.bias"]))
        added = softplus(linear(hidden, parameters["time.2.weight"], parameters["time.2.bias"]))
    else:
        added = parameters["time.scale"] * softplus(parameters["time.slope"] * column + parameters["time.offset"])
    return configuration.sigma_0**2 + added


def initial_conditioning(configuration: PriorConfiguration, generator: torch.Generator) -> dict[str, Tensor]:
    """Start values of a learned rule; empty for heat conditioning.

    The learned rules start small, near the variance that the heat rule gives at moderate noise: a softplus of zero
    would start at 0.7, hundreds of times too wide, and blur all 125 components into one.
    """
    low = math.log(math.expm1(2e-3))
    if configuration.conditioning == "softplus":
        o = configuration.filters
        return {
            "time.scale": torch.full((o,), 0.05),
            "time.slope": torch.full((o,), 8.0),
            "time.offset": torch.full((o,), -4.0),
        }
    if configuration.conditioning == "network":
        parameters = {}
        for name, shape in configuration.shapes.items():
            if name.startswith("time."):
                fan_in = configuration.shapes[name.replace("bias", "weight")][1]
                limit = 1 / math.sqrt(fan_in)
                parameters[name] = (2 * torch.rand(shape, generator=generator) - 1) * limit
        parameters["time.2.bias"] = torch.full_like(parameters["time.2.bias"], low)
        parameters["time.2.weight"] = 0.1 * parameters["time.2.weight"]
        return parameters
    return {}
