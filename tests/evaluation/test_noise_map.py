"""Noise maps of what is known: a full scan passes its noise on as it is, an accelerated one raises it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.noise_map import noise_map
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.measurement import undersample

SCAN = simulate_scan(shepp_logan((48, 40)), coils=4, noise=0.01, seed=1)
BODY = shepp_logan((48, 40)) > 0.1


def test_a_full_scan_passes_its_noise_on_as_it_is():
    full = undersample(SCAN, Mask(np.ones((48, 40), dtype=bool)))
    found = noise_map(full, "zero-filled", replicas=24, noise=0.01 / full.scale)
    assert found.noise == pytest.approx(0.01)
    assert float(found.deviation[BODY].mean()) == pytest.approx(0.01, rel=0.1)
    assert float(found.g_factor[BODY].mean()) == pytest.approx(1.0, rel=0.1)


def test_half_the_noise_makes_half_the_map_and_the_same_g_factor():
    measurement = undersample(SCAN, make_mask("cartesian", (48, 40), 3, 0.2))
    one, half = (noise_map(measurement, "cg-sense", replicas=6, noise=level) for level in (0.01, 0.005))
    assert float(half.deviation[BODY].mean() / one.deviation[BODY].mean()) == pytest.approx(0.5, rel=0.1)
    assert float(half.g_factor[BODY].mean()) == pytest.approx(float(one.g_factor[BODY].mean()), rel=0.1)


@pytest.mark.slow
def test_a_sampler_chooses_once_and_its_own_noise_is_not_counted():
    measurement = undersample(SCAN, make_mask("cartesian", (48, 40), 3, 0.2))
    found = noise_map(measurement, "pogmdm::fast", replicas=2, noise=1e-7)
    assert float(found.deviation.max()) < 1e-3 * float(found.result.image.max())
    assert found.result.record.settings["choose"] == "none"
    again = noise_map(replace(measurement, noise_floor=True), "pogmdm::fast", replicas=2)
    assert again.noise == pytest.approx(0.01, rel=0.5)


def test_one_replica_is_refused():
    with pytest.raises(InputError, match="2 or more"):
        noise_map(undersample(SCAN, make_mask("cartesian", (48, 40), 3, 0.2)), "cg-sense", replicas=1)
