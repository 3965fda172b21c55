"""What is asked of an algorithm by its name, without data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from napari_pogmdm.recon.sampler.algorithms.by_name import ALGORITHMS, draws_noise, noise_schedule
from napari_pogmdm.recon.sampler.presets import PRESETS
from napari_pogmdm.recon.sampler.settings import Algorithm, SamplerSettings


def test_every_algorithm_has_its_class():
    assert set(ALGORITHMS) == set(Algorithm)


def test_runs_draw_unless_their_algorithm_adds_no_noise():
    assert draws_noise(PRESETS["paper"])
    still = SamplerSettings(algorithm="splitting", injected_noise=0.0)
    assert not draws_noise(still)
    assert draws_noise(replace(still, injected_noise=0.1))
    assert draws_noise(replace(PRESETS["paper"], injected_noise=0.0))


def test_the_schedule_follows_the_algorithm():
    settings = SamplerSettings(iterations=10, start_time=0.3, largest_noise=1.0, smallest_noise=0.01)
    assert len(noise_schedule(settings)) == 4
    assert noise_schedule(settings)[-1] == pytest.approx(0.01)
    even = noise_schedule(replace(settings, algorithm="splitting"))
    assert len(even) == 11
    assert (even[0], even[-1]) == (pytest.approx(1.0), 0.01)
    assert even[1] / even[0] == pytest.approx(even[2] / even[1])
