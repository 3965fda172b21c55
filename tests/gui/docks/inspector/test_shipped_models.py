"""What docs/inspector.md says about the shipped models, in numbers."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.gui.docks.inspector.curves import conditioning, minima, potentials
from napari_pogmdm.gui.docks.inspector.responses import analyse, diffused
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import reference_image

GRID = np.linspace(-0.5, 0.5, 1001)


@pytest.fixture(scope="module")
def image():
    reference = reference_image(open_scan("demo")[0])
    return (reference / np.percentile(reference, 99.5)).astype(np.float32)


def off(name, image, sigma):
    return set(np.flatnonzero(analyse(load_prior(name), diffused(image, sigma), sigma).off) + 1)


def test_learned_time_conditioning_switches_filters_off_one_after_the_other(image):
    switched = [off("flf-tc", image, sigma) for sigma in (0.0, 0.05, 0.2)]
    assert switched[0] == set()
    assert switched[0] < switched[1] < switched[2]


def test_the_softplus_rule_ignores_three_filters_at_every_noise_level(image):
    assert {1, 4, 17} == off("flf-softplus", image, 0.0) <= off("flf-softplus", image, 0.2)


def test_learned_filters_with_the_heat_rule_stay_on_in_noise(image):
    assert off("flf", image, 0.1) == set()
    assert len(off("flf", image, 0.2)) <= 1  # filter 18 is at the edge: the scale of the image decides


@pytest.mark.parametrize(("name", "least"), [("sh-2", 20), ("flf", 19), ("flf-tc", 20)])
def test_potentials_have_several_minima(name, least):
    curves = potentials(load_prior(name), GRID, 0.0)
    assert sum(len(minima(curve)) > 1 for curve in curves) >= least


def test_some_learned_potentials_have_a_hill_at_zero():
    for name, filters in (("flf", (2, 4, 11, 19)), ("flf-tc", (3, 4, 12, 14, 17, 20))):
        curves = potentials(load_prior(name), GRID, 0.0)
        hills = [k + 1 for k, curve in enumerate(curves) if curve[500] > min(curve[minima(curve)], default=9) + 0.1]
        assert tuple(hills) == filters


def test_learned_time_conditioning_has_slow_and_fast_filters():
    first, last = conditioning(load_prior("flf-tc"), np.array([0.0, 0.2])).T
    growth = last / first
    assert growth.max() > 50 * growth.min()


def test_finer_shearlets_widen_faster_than_coarse_ones():
    coarse, fine = np.split(conditioning(load_prior("sh-2"), np.array([0.2]))[:10, 0], 2)
    assert fine.min() > 3 * coarse.max()
