from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.gui.docks.inspector.responses import analyse, as_potentials, diffused, marginals, switched_off
from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.initial import initial_parameters
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.weights import load_prior

SIGMA = 0.1


def test_pulls_sum_to_the_score(analysis, image):
    score = analysis.prior.score(torch.from_numpy(image), SIGMA).numpy()
    np.testing.assert_allclose(analysis.score, score, atol=1e-3 * np.abs(score).max())
    assert analysis.shares.sum() == pytest.approx(1.0)


def test_marginals_sum_to_one_even_where_responses_leave_the_range(analysis):
    centres, densities = marginals(analysis.responses, 0.01, bins=21)
    np.testing.assert_allclose(densities.sum(axis=1), 1.0)
    assert centres[10] == pytest.approx(0.0)
    assert densities.shape == (analysis.prior.configuration.filters, 21)
    heights = as_potentials(densities)
    np.testing.assert_allclose(np.nanmin(heights, axis=1), 0.0)
    assert np.isnan(as_potentials(np.array([[0.0, 1.0]]))[0, 0])


def test_a_filter_is_off_only_if_it_is_flat_and_has_no_part_in_the_score():
    shares = np.array([0.005, 0.005, 0.5, 0.49])
    variations = np.array([0.05, 0.5, 0.05, 2.0])
    assert switched_off(shares, variations).tolist() == [True, False, False, False]


def test_widening_one_expert_switches_it_off_and_no_other(image):
    """A softplus-conditioned prior in which filter 4 alone is told to be far wider than its responses."""
    configuration = PriorConfiguration(conditioning="softplus", filter_count=6)
    parameters = initial_parameters(configuration, 3)
    parameters["filters"] = 3 * parameters["filters"]
    for name, value in (("time.scale", 1e-4), ("time.slope", 0.0), ("time.offset", 0.0)):
        parameters[name] = torch.full_like(parameters[name], value)
    assert not analyse(Prior(configuration, parameters), image, SIGMA).off.any()
    parameters["time.scale"][4] = 50.0
    assert analyse(Prior(configuration, parameters), image, SIGMA).off.tolist() == [k == 4 for k in range(6)]


def test_analysis_stops_when_asked(image):
    with pytest.raises(Cancelled):
        analyse(load_prior("flf"), image, SIGMA, cancelled=lambda: True)


def test_noise_has_the_level_and_is_always_the_same():
    clean = np.zeros((64, 64), dtype=np.float32)
    assert diffused(clean, 0.2).std() == pytest.approx(0.2, rel=0.05)
    np.testing.assert_array_equal(diffused(clean, 0.2), diffused(clean, 0.2))
    np.testing.assert_array_equal(diffused(clean, 0.0), clean)
