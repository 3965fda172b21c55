from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import Measurement, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.chains import FinishedChains
from napari_pogmdm.recon.sampler.changes import Change
from napari_pogmdm.recon.sampler.moments import Moments
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.sample import record_of, result_of

SETTINGS = replace(preset("default"), iterations=5, map_sets=1, choose="none")
CHANGES = (
    Change(iteration=1, substep=1, name="prior_weight", value=2.0),
    Change(iteration=3, substep=0, name="coil_smoothing", value=5.0),
    Change(chain=1, iteration=2, substep=2, name="prior_weight", value=0.3),
)


@pytest.fixture(scope="module")
def prior():
    return load_prior("flf-tc")


@pytest.fixture(scope="module")
def measurement(small_scan) -> Measurement:
    return undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.2))


def by_hand(measurement, prior, chains: int):
    """Step chains substep by substep and turn the knobs where the changes say, as a window would."""
    finished, settings = FinishedChains(Moments.empty(measurement.shape)), SETTINGS
    for chain in range(chains):
        sampler = make_sampler(measurement, prior, settings, (4 + chain,))
        state = sampler.start()
        while state.iteration < sampler.steps:
            for change in CHANGES:
                if (change.chain, change.iteration, change.substep) == (chain, state.iteration, state.substep):
                    settings = replace(settings, **{change.name: change.value})
                    sampler = sampler.with_settings(settings)
            state = sampler.substep(state)
        finished = finished.add(sampler.estimate(state), float(sampler.found_noise(state)[0]), state.coils[0])
    request = RunRequest(measurement, prior, SETTINGS, chains, 4, changes=tuple(CHANGES))
    return result_of(request, finished, record_of(request, finished, seconds=1.0))


@pytest.mark.parametrize("chains", [1, 3])
def test_changes_by_hand_are_repeated_bit_by_bit(measurement, prior, chains):
    watched = by_hand(measurement, prior, chains)
    again = reconstruct(measurement, model=prior, preset=SETTINGS, chains=chains, seed=4, changes=CHANGES)
    np.testing.assert_array_equal(again.image, watched.image)
    np.testing.assert_array_equal(again.coils, watched.coils)
    left = ("seconds",)
    assert {k: v for k, v in vars(again.record).items() if k not in left} == {
        k: v for k, v in vars(watched.record).items() if k not in left
    }
    plain = reconstruct(measurement, model=prior, preset=SETTINGS, chains=chains, seed=4)
    assert not np.array_equal(plain.image, again.image)


def test_a_change_is_in_force_from_its_substep_on_and_in_later_chains(measurement, prior):
    whole = reconstruct(measurement, model=prior, preset=replace(SETTINGS, prior_weight=2.0), seed=4)
    first = reconstruct(measurement, model=prior, preset=SETTINGS, seed=4, changes=[Change(0, 0, "prior_weight", 2.0)])
    np.testing.assert_array_equal(first.image, whole.image)
    last = reconstruct(measurement, model=prior, preset=SETTINGS, seed=4, changes=[Change(4, 1, "prior_weight", 2.0)])
    assert not np.array_equal(last.image, reconstruct(measurement, model=prior, preset=SETTINGS, seed=4).image)
    ended = reconstruct(
        measurement, model=prior, preset=SETTINGS, chains=2, seed=4, changes=[Change(5, 0, "prior_weight", 2.0)]
    )
    second = reconstruct(measurement, model=prior, preset=replace(SETTINGS, prior_weight=2.0), seed=5)
    expected = (reconstruct(measurement, model=prior, preset=SETTINGS, seed=4).image.astype(float) + second.image) / 2
    np.testing.assert_allclose(ended.image, expected, rtol=1e-5)


def test_changes_are_plain_data():
    change = CHANGES[2]
    assert Change.from_dict(change.to_dict()) == change
    for wrong in ({"iteration": 1}, {**change.to_dict(), "chain": -1}, {**change.to_dict(), "name": "volume"}, 5):
        with pytest.raises(InputError, match="changes"):
            Change.from_dict(wrong)


def test_what_cannot_change_is_refused(measurement, prior):
    with pytest.raises(InputError, match="iterations"):
        reconstruct(measurement, model=prior, preset=SETTINGS, changes=[Change(1, 0, "iterations", 3)])
    with pytest.raises(InputError, match="prior_weight"):
        reconstruct(measurement, model=prior, preset=SETTINGS, changes=[Change(1, 0, "prior_weight", "much")])


def test_chains_share_the_coils_they_start_from(measurement, prior, monkeypatch):
    """Finding the first coils can take longer than a chain; it is done once."""
    asked: list[str] = []
    from napari_pogmdm.recon.sampler.algorithms import base

    original = base.starting_coils

    def counted(*arguments: object) -> torch.Tensor:
        asked.append("coils")
        return original(*arguments)

    monkeypatch.setattr(base, "starting_coils", counted)
    reconstruct(measurement, model=prior, preset=SETTINGS, chains=3)
    assert len(asked) == 1
