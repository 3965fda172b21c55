"""Time conditioning: how the variances of the experts follow the noise level, by rule, network or softplus."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn.functional import elu, linear, softplus

from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.projections import project

_SOFTPLUS_START = {"time.scale": 0.02, "time.slope": 8.0, "time.offset": -3.0}
"""Before the fit: a variance from 0.001 at sigma 0 to 0.1 at sigma 1, the order of the heat rule's at usual gains."""

_FIT_RATE = 1e-2  # of Adam at the start of the fit, falling to zero; what counts is that 1500 steps suffice


def variances(
    configuration: PriorConfiguration, parameters: Mapping[str, Tensor], gains: Tensor, sigma: Tensor
) -> Tensor:
    """Variances sigma_k^2(t) of every expert at noise levels sigma = sqrt(2t).

    Heat conditioning is sigma_0^2 + nu_k^2 2t, which is exact for ideal filters; the learned rules replace the
    second term by a positive function of sqrt(2t).

    Parameters
    ----------
    configuration
        Names the rule.
    parameters
        Learned tensors by name; those of the time conditioning are used.
    gains
        nu_k, (filters,), used by heat conditioning only.
    sigma
        Noise standard deviations, (levels,).

    Returns
    -------
    (levels, filters)
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
    """Random start of a learned rule; empty for heat conditioning."""
    parameters: dict[str, Tensor] = {}
    if configuration.conditioning == "softplus":
        for name, value in _SOFTPLUS_START.items():
            parameters[name] = torch.full(configuration.shapes[name], value)
    elif configuration.conditioning == "network":
        for name, shape in configuration.shapes.items():
            if name.startswith("time."):
                inputs = configuration.shapes[name.replace("bias", "weight")][1]
                parameters[name] = (2 * torch.rand(shape, generator=generator) - 1) / math.sqrt(inputs)
    return parameters


def fitted_to_heat_rule(
    configuration: PriorConfiguration, parameters: Mapping[str, Tensor], gains: Tensor, steps: int = 1500
) -> dict[str, Tensor]:
    """Fit a learned rule to the heat rule for noise levels in (0, 1), so that training starts from sane variances.

    A random network starts near softplus(0) = 0.7, a variance hundreds of times too wide that blurs all components
    of a mixture into one and leaves its weights without a gradient.

    Parameters
    ----------
    configuration
        Names the rule.
    parameters
        Start values of the rule.
    gains
        nu_k of the filters, (filters,).
    steps
        Of the optimiser; a second or two.

    Returns
    -------
    The fitted rule, by name.
    """
    sigma = torch.linspace(0, 1, 101) ** 2  # more levels where there is little noise, and samplers spend their time
    floor = configuration.sigma_0**2
    wanted = (floor + gains.detach() ** 2 * sigma[:, None] ** 2).log()
    fitted = {name: values.clone().requires_grad_() for name, values in parameters.items()}
    optimiser = torch.optim.Adam(fitted.values(), lr=_FIT_RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        optimiser.zero_grad()
        misfit = (variances(configuration, fitted, gains, sigma).log() - wanted).square().mean()
        misfit.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
        with torch.no_grad():
            for name, values in fitted.items():
                values.copy_(project(name, values))
    return {name: values.detach() for name, values in fitted.items()}
