from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.banks import local_gains
from napari_pogmdm.prior.conditioning import variances
from napari_pogmdm.prior.configuration import VARIANTS, Sharing
from napari_pogmdm.prior.initial import initial_parameters, parameters_from
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.projections import mirrored, project
from napari_pogmdm.prior.weights import load_prior


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


@pytest.mark.parametrize(("scales", "sharing"), [(2, "none"), (2, "across"), (1, "within"), (3, "both")])
def test_shearlets_begin_with_the_potentials_of_the_nearest_ones(scales: int, sharing: str) -> None:
    trained = load_prior("sh-2")
    configuration = replace(trained.configuration, scales=scales, sharing=Sharing(sharing))
    parameters = parameters_from(configuration, trained)
    assert {name: tuple(values.shape) for name, values in parameters.items()} == dict(configuration.shapes)
    torch.testing.assert_close(parameters["fan"].double(), trained.parameters["fan"])
    finest, known = parameters["weights"][configuration.assignment[-1]], trained.parameters["weights"]
    if (scales, sharing) == (2, "none"):
        torch.testing.assert_close(finest.double(), known[-1], atol=1e-6, rtol=0)
    if sharing == "across":  # the last shear of the finest scale, of the first and of the second cone
        torch.testing.assert_close(finest.double(), (known[9] + known[19]) / 2, atol=1e-6, rtol=0)
    torch.testing.assert_close(mirrored(parameters["weights"]).sum(-1), torch.ones(len(parameters["weights"])))


@pytest.mark.parametrize("name", ["flf", "flf-softplus", "flf-tc"])
def test_added_filters_hardly_change_the_prior_at_first(name: str) -> None:
    trained = load_prior(name)
    configuration = replace(trained.configuration, filter_count=23)
    parameters = parameters_from(configuration, trained, seed=1)
    assert {key: tuple(values.shape) for key, values in parameters.items()} == dict(configuration.shapes)
    torch.testing.assert_close(parameters["filters"][:20].double(), trained.parameters["filters"])
    image = torch.rand(24, 24, generator=torch.Generator().manual_seed(0))
    wanted = trained.score(image, 0.05)
    change = Prior(configuration, parameters).score(image, 0.05) - wanted
    assert 0 < change.norm() < 0.3 * wanted.norm()
    norms = parameters["filters"].square().sum((1, 2)).sqrt()
    assert norms[20:].max() < 0.25 * norms[:20].square().mean().sqrt()


def test_a_prior_with_fewer_filters_does_not_begin_with_one_that_has_more() -> None:
    trained = load_prior("flf")
    with pytest.raises(InputError, match="become more"):
        parameters_from(replace(trained.configuration, filter_count=12), trained)


def test_a_prior_is_refused_as_a_start_for_another_kind() -> None:
    with pytest.raises(InputError, match="another kind"):
        parameters_from(replace(VARIANTS["sh-2"], bound=1.0), load_prior("sh-2"))
