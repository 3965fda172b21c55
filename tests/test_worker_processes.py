"""Whatever a worker process needs can be sent to it."""

from __future__ import annotations

import operator
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
import torch

from napari_pogmdm.data.fastmri import open_fastmri
from napari_pogmdm.data.simulate import phantom_scan
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import list_models, load_prior
from napari_pogmdm.recon.sampler.presets import preset


def sent(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.fixture(scope="module")
def image() -> torch.Tensor:
    return torch.randn(24, 20, dtype=torch.complex64, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("name", [model.name for model in list_models()])
def test_a_prior_that_was_sent_has_the_same_scores(name, image):
    prior = load_prior(name)
    here = prior.score(image, 0.1)  # the tables are filled before it is sent
    there = sent(prior)
    assert torch.equal(there.score(image, 0.1), here)
    assert torch.equal(there.score(image, 0.3, exact=True), prior.score(image, 0.3, exact=True))
    assert torch.equal(there.energy(image, 0.1), prior.energy(image, 0.1))
    assert (there.name, there.information) == (prior.name, prior.information)
    assert there.configuration == prior.configuration


def test_a_prior_is_sent_without_its_tables(image):
    prior = load_prior("flf-tc")
    before = len(pickle.dumps(prior))
    for sigma in (0.1, 0.2, 0.3):
        prior.score(image, sigma)
    assert len(pickle.dumps(prior)) == before


@pytest.mark.slow
def test_another_process_computes_the_same_score(image):
    prior = load_prior("flf-tc")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = pool.submit(operator.methodcaller("score", image, 0.1), prior).result()
    assert torch.equal(there, prior.score(image, 0.1))


def test_scans_and_slices_can_be_sent(fastmri_file):
    scan = open_fastmri(fastmri_file())
    again = sent(scan)
    assert again == scan
    here, there = scan[1], sent(again[1])
    np.testing.assert_array_equal(there.kspace, here.kspace)
    np.testing.assert_array_equal(there.reference, here.reference)
    assert (there.header, there.origin, there.source) == (here.header, here.origin, here.source)
    np.testing.assert_array_equal(
        sent(phantom_scan((16, 16), coils=2))[0].kspace, phantom_scan((16, 16), coils=2)[0].kspace
    )


def test_masks_can_be_sent():
    mask = make_mask("poisson", (48, 40), 4)
    again = sent(mask.edited(mask.samples, "looked at"))
    np.testing.assert_array_equal(again.samples, mask.samples)
    assert again.describe() == mask.edited(mask.samples, "looked at").describe()


def test_a_request_with_its_measurement_and_settings_can_be_sent(request_of):
    request = request_of(chains=2)
    again = sent(request)
    assert again.settings == request.settings
    assert sent(preset("paper")) == preset("paper")
    assert torch.equal(again.measurement.kspace, request.measurement.kspace)
    np.testing.assert_array_equal(again.measurement.mask.samples, request.measurement.mask.samples)
    assert again.measurement.preparation == request.measurement.preparation
    assert (again.measurement.scale, again.measurement.crop) == (request.measurement.scale, request.measurement.crop)
