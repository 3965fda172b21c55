"""Whose chains have which calibration, and what results say of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import uniform_filter

import napari_pogmdm.recon.sampler.calibration as module
from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.weights import load_prior, parameter_hash
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.defaults import DEFAULT_MODEL
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.sampler.calibration import (
    MISFIT,
    NOT_AN_UNCERTAINTY,
    OPEN_COILS,
    UNCALIBRATED,
    Calibration,
    calibration_for,
    shipped_calibration,
    spread_in_words,
    withdrawn,
)
from napari_pogmdm.recon.sampler.chains import FinishedChains
from napari_pogmdm.recon.sampler.choices.choices import Choices
from napari_pogmdm.recon.sampler.choices.trial import Verdict
from napari_pogmdm.recon.sampler.moments import Moments
from napari_pogmdm.recon.sampler.presets import PRESETS, preset
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.sample import record_of
from napari_pogmdm.recon.sampler.settings import Choosing
from napari_pogmdm.recon.spread import Ratios

FITTED = Calibration(
    "posterior",
    "hash",
    1.5,
    Ratios(0.0, 0.0),
    Ratios(2.0, 0.2),
    Ratios(0.5, 0.1),
    Ratios(10.0, 0.4),
    {"1": 0.7, "1.96": 0.94},
    4,
    20,
)

FILES = Path(module.__file__).parent / "preset_files"
SHIPPED = sorted(file.name.split(".")[:2] for file in FILES.glob("*.calibration.json"))


@pytest.fixture
def fitted(monkeypatch, prior):
    known = replace(FITTED, model_sha256=parameter_hash(prior))
    shipped = {("posterior", "sh-1"): known}
    monkeypatch.setattr(module, "shipped_calibration", lambda name, model: shipped.get((name, model)))
    return known


def test_what_the_data_choose_keeps_the_calibration_and_other_changes_lose_it(fitted):
    chosen = replace(preset("posterior"), choose="none", map_sets=2, coil_start="newton", coil_smoothing=300.0)
    assert calibration_for(chosen, fitted.model_sha256) is fitted
    assert calibration_for(replace(chosen, draw_width=2.0), fitted.model_sha256) is None
    assert calibration_for(chosen, "another prior") is None
    assert calibration_for(preset("default"), fitted.model_sha256) is None


def test_chains_of_each_model_find_the_calibration_of_their_own(monkeypatch):
    models = ("flf-tc", DEFAULT_MODEL)
    shipped = {("posterior", model): replace(FITTED, model_sha256=f"hash of {model}") for model in models}
    monkeypatch.setattr(module, "shipped_calibration", lambda name, model: shipped.get((name, model)))
    for known in shipped.values():
        assert calibration_for(preset("posterior"), known.model_sha256) is known
    assert calibration_for(preset("posterior"), "hash of sh-1") is None


def test_what_has_no_calibration():
    assert ["posterior", "flf-tc"] in SHIPPED
    assert ["posterior", DEFAULT_MODEL] in SHIPPED
    assert shipped_calibration("fast", "flf-tc") is None
    assert shipped_calibration("posterior", "sh-1") is None


def test_captions_say_what_a_spread_is(fitted):
    assert spread_in_words(preset("posterior"), fitted.model_sha256) == fitted.words
    assert spread_in_words(preset("paper"), fitted.model_sha256) == UNCALIBRATED
    assert spread_in_words(preset("default"), fitted.model_sha256) == NOT_AN_UNCERTAINTY


def fitting(**changes):
    """Choices of data that fit the model, but for what is changed."""
    one = Verdict(1.1, 1.0, 1.0)
    return replace(Choices(Choosing.FULL, 1, CoilStart.NEWTON, 100.0, {"newton": one}, signal=10.0), **changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"unexplained": 0.3}, ""),
        ({"map_sets": 2, "vague": True}, OPEN_COILS),
        ({"misfit": 2.0}, MISFIT),
    ],
)
def test_the_word_calibrated_is_withdrawn_where_the_data_say_that_the_model_does_not_fit(changes, words):
    assert withdrawn(fitting(**changes)) == words
    assert withdrawn(None) == ""


def test_a_result_of_data_that_do_not_fit_promises_no_coverage(fitted, prior, small):
    settings = replace(preset("posterior"), map_sets=1, choose="none")
    moments = Moments.empty(small.shape).add(np.ones(small.shape), 0.01).add(np.full(small.shape, 1.1), 0.01)
    found = FinishedChains(moments)
    for choices, coverage in ((fitting(), fitted.coverage), (fitting(misfit=2.0), {})):
        record = record_of(RunRequest(small, prior, settings, chains=2, choices=choices), found)
        assert record.sampler["calibration"]["coverage"] == coverage
        assert record.sampler["calibration"]["words"] == (fitted.words if coverage else MISFIT)
        assert record.sampler["calibration"]["factor"] > 0


def test_results_carry_the_calibrated_deviation_and_what_to_expect(fitted, prior, small, monkeypatch, tmp_path):
    import napari_pogmdm.recon.sampler.sample as sampling

    monkeypatch.setattr(sampling, "calibration_for", lambda settings, sha: fitted)
    settings = replace(preset("posterior"), iterations=3, map_sets=1, choose="none")
    result = reconstruct(small, model=prior, preset=settings, chains=4)
    assert result.variance is not None
    assert result.std is not None
    share = 0.75 if settings.mirror_noise else 1.25
    np.testing.assert_allclose(result.std, 1.5 * np.sqrt(share * uniform_filter(result.variance, 5)), rtol=1e-3)
    ratio = result.record.sampler["spread_over_noise"]
    body = result.image > 0.1 * result.image.max()
    assert ratio == pytest.approx(float(np.sqrt((result.std[body] ** 2).mean())) / 1.5 / result.noise, rel=0.05)
    assert result.coverage == {"1": 0.7, "1.96": 0.94}
    assert "std" in result.arrays()
    assert 0 < result.noise < 0.02
    one = reconstruct(small, model=prior, preset=settings)
    assert one.std is None
    assert one.coverage == {}


def test_the_factor_goes_with_powers_of_both_ratios_and_a_little_beyond_the_ends():
    fitted = replace(FITTED, exponents=Ratios(0.5, 1.0))
    assert fitted.factor_at(Ratios(2.0, 0.2)) == 1.5
    assert fitted.factor_at(Ratios(8.0, 0.2)) == pytest.approx(3.0)
    assert fitted.factor_at(Ratios(2.0, 0.3)) == pytest.approx(2.25)
    assert fitted.factor_at(Ratios(8.0, 0.1)) == pytest.approx(1.5)
    for ends, beyond, inside in (((0.01, 0.2), (0.25, 0.2), (0.5, 0.2)), ((2.0, 0.001), (2.0, 0.05), (2.0, 0.1))):
        assert fitted.factor_at(Ratios(*ends)) == fitted.factor_at(Ratios(*beyond)) < fitted.factor_at(Ratios(*inside))
    assert fitted.factor_at(Ratios(100.0, 0.2)) == fitted.factor_at(Ratios(20.0, 0.2))
    assert fitted.factor_at(Ratios(float("nan"), 0.2)) == 1.5
    assert fitted.factor_at(Ratios(8.0, float("nan"))) == pytest.approx(3.0)


@pytest.mark.parametrize(("name", "model"), SHIPPED)
def test_a_shipped_calibration_names_its_evidence_and_never_the_bundled_scan(name, model):
    found = shipped_calibration(name, model)
    assert found is not None
    assert found.preset == name
    assert found.model_sha256 == parameter_hash(load_prior(model))
    assert found.evidence["command"].startswith("napari-pogmdm calibrate ")
    assert "demo" not in found.evidence["scans_sha256"]
    assert len(found.evidence["rows"]) == found.cases
    assert calibration_for(PRESETS[name], found.model_sha256) == found
    assert Calibration.from_dict(json.loads(found.to_json()), "again") == found


def test_a_file_that_is_no_calibration_is_refused():
    with pytest.raises(InputError, match="not laid out"):
        Calibration.from_dict({"factor": 1.0}, "file")
    with pytest.raises(InputError, match="positive"):
        replace(FITTED, factor=-1.0)
    with pytest.raises(InputError, match="positive"):
        replace(FITTED, middle=Ratios(1.0, 0.0))
