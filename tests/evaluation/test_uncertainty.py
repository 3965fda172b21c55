from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.method_names import SamplerMethod
from napari_pogmdm.evaluation.uncertainty import spreads
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import reference_image
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runtime.pool.connect import open_pool

QUICK = replace(preset("fast"), iterations=3, injected_noise=0.5)


def test_every_mask_has_the_mean_and_spread_of_its_chains(small_scan):
    masks = [make_mask("cartesian", small_scan.shape, acceleration, 0.2) for acceleration in (2, 3)]
    told: list[tuple[int, int]] = []
    found = list(spreads(small_scan, masks, SamplerMethod(QUICK, chains=2), progress=lambda *at: told.append(at)))
    assert [one.mask for one in found] == masks
    reference = reference_image(small_scan)
    body = reference > 0.1 * reference.max()
    for one in found:
        assert one.mean.shape == one.deviation.shape == reference.shape
        assert one.inside == pytest.approx(float(one.deviation[body].mean()), rel=1e-4)
        wrong = (one.mean - reference / reference.max())[body]
        assert one.error == pytest.approx(float(np.sqrt((wrong**2).mean())), rel=1e-3)
        assert 0 < one.inside < 0.2
    assert told


def test_what_has_no_spread_is_said(small_scan):
    mask = make_mask("cartesian", small_scan.shape, 2, 0.2)
    with pytest.raises(InputError, match="give 2 or more"):
        next(spreads(small_scan, [mask], SamplerMethod(QUICK, chains=1)))
    undersampled = replace(small_scan, reference=None, mask=mask.samples)
    with pytest.raises(InputError, match="has no full scan"):
        next(spreads(undersampled, [mask], SamplerMethod(QUICK, chains=2)))


@pytest.mark.slow
def test_chains_on_a_cluster_have_the_same_spread(small_scan, scheduler):
    masks = [make_mask("cartesian", small_scan.shape, 2, 0.2)]
    method = SamplerMethod(QUICK, chains=3)
    [here] = spreads(small_scan, masks, method)
    with open_pool(scheduler) as pool:
        [there] = spreads(small_scan, masks, method, pool=pool)
    np.testing.assert_array_equal(here.mean, there.mean)
    np.testing.assert_array_equal(here.deviation, there.deviation)
