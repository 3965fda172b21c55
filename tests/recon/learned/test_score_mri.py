"""scoreMRI: with a score that is known it draws from the posterior, what was measured stays, and it repeats itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.learned.score_mri import Combination, ScoreMri, ScoreMriSettings
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.stepper import run
from rivals.tiny import measured

SCORE = Path(__file__).parents[3] / "examples" / "one-mask" / "score.safetensors"
QUICK = ScoreMriSettings(iterations=60, start=0.3)


class Flat:
    """Score of images that are all near zero: it pulls what was not measured there."""

    def score(self, x: torch.Tensor, sigma: float) -> torch.Tensor:
        return -x / (0.01 + sigma**2)


@pytest.mark.parametrize(
    ("coils", "settings"),
    [
        (1, QUICK),
        (1, ScoreMriSettings(iterations=60, start=0.3, real_image=True)),
        (3, ScoreMriSettings(iterations=60, start=0.3, combination=Combination.PER_COIL)),
    ],
)
def test_what_was_measured_stays(coils, settings):
    measurement = measured(coils=coils)
    method = ScoreMri(measurement, Flat(), settings, seed=1)
    state, steps = run(method)
    assert steps == method.steps == 18
    found = measurement.encoding.forward(state.image.to(torch.complex64))
    error = (found - measurement.kspace).abs().max()
    # the real part of an image alone cannot hold samples that are not symmetric, as the mask is not
    assert float(error) < (1e-5 if not settings.real_image else 2.0)
    assert method.estimate(state).image.shape == measurement.shape


def test_known_coils_bring_it_close_to_the_data():
    measurement = measured(coils=4)
    state, _ = run(ScoreMri(measurement, Flat(), ScoreMriSettings(iterations=100, start=0.4), seed=0))
    assert bool(state.image.isfinite().all())
    assert state.image.shape == (1, *measurement.shape)


def test_the_same_seed_gives_the_same_image_and_another_one_another():
    measurement = measured(coils=2)
    first, again, other = (ScoreMri(measurement, Flat(), QUICK, seed=seed) for seed in (3, 3, 4))
    assert torch.equal(run(first)[0].image, run(again)[0].image)
    assert not torch.equal(run(first)[0].image, run(other)[0].image)


def test_levels_fall_from_the_start_to_the_smallest():
    settings = ScoreMriSettings()
    assert settings.level(0) == pytest.approx(0.01)
    assert settings.level(1) == pytest.approx(378.0)
    assert settings.level(0.2) == pytest.approx(0.0823, abs=1e-3)


def test_it_runs_by_its_name_with_a_shipped_prior_and_is_recorded():
    found = reconstruct(measured(coils=2), "score-mri", model="flf", iterations=20, start=0.2, seed=5)
    assert found.record.sampler["seed"] == 5
    assert found.record.sampler["model"] == "flf"
    assert found.record.settings["iterations"] == 20
    with pytest.raises(InputError, match="real_image"):
        reconstruct(measured(coils=2), "score-mri", real_image=True)


def test_with_a_network_it_tells_how_far_it_is_and_stops_when_asked():
    seen: list[tuple[int, int]] = []
    found = reconstruct(
        measured(),
        "score-mri",
        model=SCORE,
        iterations=60,
        start=0.3,
        progress=lambda done, total: seen.append((done, total)),
        cancelled=lambda: len(seen) > 3,
    )
    assert {total for _, total in seen} == {18}
    assert 3 < max(done for done, _ in seen) < 18
    assert np.isfinite(found.image).all()
