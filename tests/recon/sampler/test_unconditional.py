"""The prior draws by itself: repeatably, at the scale it was taught, and with edges rather than noise."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.sampler.unconditional import PriorSample, PriorSampler, PriorSamplingSettings
from napari_pogmdm.recon.stepper import run

SMALL = PriorSamplingSettings(rows=40, columns=48, levels=20, corrections=3)


@pytest.fixture(scope="module")
def prior():
    return load_prior("flf-tc")


def test_a_seed_gives_the_same_bits_and_another_seed_others(prior):
    first = run(PriorSampler(prior, SMALL, seed=3))[0].image
    assert torch.equal(first, run(PriorSampler(prior, SMALL, seed=3))[0].image)
    assert not torch.equal(first, run(PriorSampler(prior, SMALL, seed=4))[0].image)


def test_a_state_is_all_that_is_needed_to_go_on(prior):
    sampler = PriorSampler(prior, SMALL)
    state = sampler.start()
    for _ in range(7):
        state = sampler.step(state)
    copied = PriorSample(state.image.clone(), state.step, state.noise.clone())
    assert torch.equal(sampler.step(state).image, PriorSampler(prior, SMALL, seed=99).step(copied).image)


def test_levels_fall_from_the_largest_to_the_smallest(prior):
    sampler = PriorSampler(prior, SMALL)
    last, steps = run(sampler)
    assert steps == sampler.steps == 60
    assert sampler.level(sampler.start()) == pytest.approx(0.5)
    assert sampler.level(last) == pytest.approx(0.01)


def test_a_sample_is_sparse_in_its_differences_as_noise_is_not(prior):
    """Kurtosis of neighbour differences: 3 for Gaussian noise, far more for flat regions with edges."""
    settings = replace(SMALL, rows=96, columns=96, levels=60, corrections=5)
    sampler = PriorSampler(prior, settings)
    last = run(sampler)[0]

    def kurtosis(image: torch.Tensor) -> float:
        away = image.diff(dim=1) - image.diff(dim=1).mean()
        return float((away**4).mean() / away.square().mean() ** 2)

    assert kurtosis(sampler.start().image) < 3.5
    assert kurtosis(sampler.estimate(last).image) > 6
    assert 0.02 < float(last.image.std()) < 0.3


def test_the_mean_stays_where_it_was_put(prior):
    last = run(PriorSampler(prior, replace(SMALL, mean=0.7)))[0]
    assert float(last.image.mean()) == pytest.approx(0.7, abs=1e-3)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"rows": 8}, "rows"),
        ({"columns": 10.5}, "columns"),
        ({"levels": True}, "levels"),
        ({"step_ratio": 0.0}, "step_ratio"),
        ({"largest_noise": 0.005}, "smallest_noise"),
        ({"mean": float("nan")}, "mean"),
    ],
)
def test_senseless_settings_are_refused(changes, field):
    with pytest.raises(InputError, match=rf"^{field}: "):
        replace(SMALL, **changes)
