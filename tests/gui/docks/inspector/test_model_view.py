"""What the Inspector computes, without a window."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.errors import Cancelled
from napari_pogmdm.gui.docks.inspector.cell_grid import arrange
from napari_pogmdm.gui.docks.inspector.curves import (
    conditioning,
    derivatives,
    minima,
    potentials,
    quick_potentials,
    response_grid,
    slow_and_fast,
)
from napari_pogmdm.gui.docks.inspector.noise_scale import HIGHEST, TICKS, level_at, tick_of
from napari_pogmdm.gui.docks.inspector.pixel import pixel_at, probe
from napari_pogmdm.gui.docks.inspector.responses import analyse, as_potentials, diffused, marginals, switched_off
from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.initial import initial_parameters
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.weights import load_prior

LEVEL = 0.1


@pytest.fixture(scope="module")
def image():
    return diffused(np.abs(shepp_logan((48, 40))).astype(np.float32), LEVEL)


@pytest.fixture(scope="module", params=["flf-tc", "sh-1"])
def analysis(request, image):
    return analyse(load_prior(request.param), image, LEVEL)


def test_pulls_sum_to_the_score(analysis, image):
    score = analysis.prior.score(torch.from_numpy(image), LEVEL).numpy()
    np.testing.assert_allclose(analysis.score, score, atol=1e-3 * np.abs(score).max())
    assert analysis.shares.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("pixel", [(0, 0), (20, 17), (47, 39)])
def test_a_probe_reads_the_responses_and_the_score_at_its_pixel(analysis, image, pixel):
    x = torch.from_numpy(image)
    found = probe(analysis, *pixel)
    np.testing.assert_allclose(found.responses, analysis.prior.responses(x)[:, *pixel].numpy(), atol=1e-6)
    score = float(analysis.prior.score(x, LEVEL)[pixel])
    assert found.score == pytest.approx(score, abs=1e-3 * float(analysis.prior.score(x, LEVEL).abs().max()))
    denoised = float(analysis.prior.denoise(x, LEVEL)[pixel])
    assert found.value + found.step == pytest.approx(denoised, abs=1e-3)


def test_pixels_are_found_by_their_centres():
    assert pixel_at((0.49, -0.5), (4, 5)) == (0, 0)
    assert pixel_at((7.0, 3.4, 4.4), (4, 5)) == (3, 4)
    assert pixel_at((3.5, 0), (4, 5)) is None
    assert pixel_at((0, -0.51), (4, 5)) is None
    assert pixel_at((float("nan"), 0), (4, 5)) is None


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
    assert not analyse(Prior(configuration, parameters), image, LEVEL).off.any()
    parameters["time.scale"][4] = 50.0
    assert analyse(Prior(configuration, parameters), image, LEVEL).off.tolist() == [k == 4 for k in range(6)]


def test_analysis_stops_when_asked(image):
    with pytest.raises(Cancelled):
        analyse(load_prior("flf"), image, LEVEL, cancelled=lambda: True)


def test_noise_has_the_level_and_is_always_the_same():
    clean = np.zeros((64, 64), dtype=np.float32)
    assert diffused(clean, 0.2).std() == pytest.approx(0.2, rel=0.05)
    np.testing.assert_array_equal(diffused(clean, 0.2), diffused(clean, 0.2))
    np.testing.assert_array_equal(diffused(clean, 0.0), clean)


@pytest.mark.parametrize("name", ["flf", "flf-tc"])
def test_derivatives_are_those_of_the_potentials(name):
    prior = load_prior(name)
    grid = response_grid(0.5, 2001)
    curves = potentials(prior, grid, LEVEL)
    slopes = np.gradient(curves, grid, axis=1)
    found = derivatives(prior, grid, LEVEL)
    np.testing.assert_allclose(found[:, 1:-1], slopes[:, 1:-1], atol=2e-2 * np.abs(slopes).max())
    assert curves.min() == 0.0


@pytest.mark.parametrize("name", ["flf", "flf-tc", "sh-2"])
@pytest.mark.parametrize("level", [0.0, 0.003, 0.1, 0.9])
def test_quick_potentials_are_the_potentials_to_a_thousandth(name, level):
    prior = load_prior(name)
    grid = response_grid(prior.configuration.bound)
    exact = potentials(prior, grid, level)
    np.testing.assert_allclose(quick_potentials(prior, grid, level), exact, atol=2e-3 * exact.max())


@pytest.mark.parametrize("name", ["flf", "flf-tc", "flf-softplus"])
def test_the_slow_and_the_fast_filter_bracket_all_others(name):
    prior = load_prior(name)
    curves = conditioning(prior, np.array([0.0, 0.2]))
    growth = curves[:, 1] - curves[:, 0]
    slow, fast = slow_and_fast(prior)
    assert growth[slow] == growth.min() < growth.max() == growth[fast]


def test_minima_are_counted_without_ripples():
    x = np.linspace(-1, 1, 401)
    assert len(minima(x**2)) == 1
    assert len(minima((x**2 - 0.25) ** 2 * 10)) == 2
    assert len(minima(x**2 + 1e-3 * np.sin(200 * x))) == 1
    assert minima(x) == []


@pytest.mark.parametrize("size", [(1100, 150), (1900, 900), (320, 200), (90, 60), (5, 5)])
@pytest.mark.parametrize("total", [1, 10, 20, 38, 56])
def test_every_cell_is_on_exactly_one_page_and_can_be_hit(size, total):
    first = arrange(total, *size, (100, 70), 1.4)
    seen = []
    for page in range(first.pages):
        cells = arrange(total, *size, (100, 70), 1.4, page)
        assert cells.rows * cells.columns >= cells.count
        for number in cells.numbers:
            left, top = cells.corner(number)
            assert cells.at(left + cells.width / 2, top + cells.height / 2) == number
            assert left + cells.width <= size[0] + 1e-6
            assert top + cells.height <= size[1] + 1e-6
        seen += list(cells.numbers)
    assert seen == list(range(total))
    assert first.at(-1, 0) is None


def test_twenty_cells_share_one_page_of_a_low_dock_in_two_rows():
    cells = arrange(20, 1100, 150, (100, 70), 1.4)
    assert (cells.rows, cells.columns, cells.pages) == (2, 10, 1)
    assert arrange(20, 1100, 150, (100, 70), 1.4, page=9).page == 0


def test_the_noise_slider_is_monotonic_and_fine_near_zero():
    levels = [level_at(tick) for tick in range(TICKS + 1)]
    assert levels[0] == 0.0
    assert levels[-1] == pytest.approx(HIGHEST)
    assert np.all(np.diff(levels) > 0)
    assert levels[1] < 0.001
    assert [tick_of(level) for level in levels] == list(range(TICKS + 1))
    assert tick_of(5.0) == TICKS
