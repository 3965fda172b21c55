from __future__ import annotations

import pytest

from napari_pogmdm.recon.sampler.algorithms.by_name import noise_schedule
from napari_pogmdm.recon.sampler.algorithms.schedule import noise_level, noise_levels
from napari_pogmdm.recon.sampler.presets import PRESETS


def test_the_schedule_has_the_papers_levels():
    assert noise_level(0.0) == pytest.approx(0.001)
    assert noise_level(0.2) == pytest.approx(0.48897, abs=1e-5)
    assert noise_level(1.0) == pytest.approx(10)
    levels = noise_levels(1000, 0.2)
    assert len(levels) == 201
    assert sum(level < 0.05 for level in levels) == 105
    assert noise_schedule(PRESETS["paper"])[0] == pytest.approx(0.48897, abs=1e-5)
    assert noise_schedule(PRESETS["paper"])[-1] == pytest.approx(0.001)
