from __future__ import annotations

import pytest
import torch

from napari_pogmdm.prior.banks import local_gains
from napari_pogmdm.prior.conditioning import variances
from napari_pogmdm.prior.configuration import VARIANTS
from napari_pogmdm.prior.initial import initial_parameters
from napari_pogmdm.prior.projections import mirrored, project


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_start_values_have_their_shapes_and_obey_their_constraints(name):
    parameters = initial_parameters(VARIANTS[name], seed=1)
    assert {key: tuple(values.shape) for key, values in parameters.items()} == dict(VARIANTS[name].shapes)
    torch.testing.assert_close(mirrored(parameters["weights"]).sum(-1), torch.ones(len(parameters["weights"])))
    for key, values in parameters.items():
        torch.testing.assert_close(project(key, values), values, atol=1e-6, rtol=1e-5)


def test_start_values_follow_the_seed():
    first, again, other = (initial_parameters(VARIANTS["flf"], seed)["filters"] for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert first.std().item() == pytest.approx(1 / 500**0.5, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["flf-tc", "flf-softplus"])
def test_learned_rules_start_as_the_heat_rule(name):
    configuration = VARIANTS[name]
    parameters = initial_parameters(configuration, seed=0)
    gains = local_gains(parameters["filters"], configuration.gain)
    levels = torch.tensor([0.05, 0.2, 0.5])
    heat = configuration.sigma_0**2 + gains**2 * levels[:, None] ** 2
    ratio = variances(configuration, parameters, gains, levels) / heat
    assert ratio.log().abs().mean().item() < 0.5  # a random network would be off by factors of hundreds
    assert ratio.log().abs().max().item() < 1.5
