from __future__ import annotations

import json
from dataclasses import replace

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.method_names import SINGLE_COIL, SamplerMethod, check_method, parse_sampler, run_method
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.defaults import DEFAULT_MODEL
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.sampler.presets import preset


@pytest.mark.parametrize(
    ("name", "model", "settings", "chains"),
    [
        ("pogmdm", DEFAULT_MODEL.value, "default", 3),
        ("pogmdm:flf", "flf", "default", 3),
        ("pogmdm::fast", DEFAULT_MODEL.value, "fast", 3),
        ("pogmdm:sh-2:paper:16", "sh-2", "paper", 16),
        ("pogmdm:::16", DEFAULT_MODEL.value, "default", 16),
    ],
)
def test_a_name_says_model_preset_and_chains(name, model, settings, chains):
    assert parse_sampler(name, chains=3, seed=7) == SamplerMethod(preset(settings), model, chains, 7)


def test_other_methods_are_no_samplers():
    assert parse_sampler("tv") is None
    assert parse_sampler("bart-tv") is None


def test_one_coil_has_settings_of_its_own_and_a_real_image():
    usual, fast = (parse_sampler(name, single_coil=True) for name in ("pogmdm", "pogmdm::fast"))
    assert usual is not None
    assert usual.settings == SINGLE_COIL
    assert fast is not None
    assert fast.settings == replace(preset("fast"), real_image=True, update_coils=False)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pogmdm:a:b:c:d", "too many parts"),
        ("pogmdm:::many", "'many' in 'pogmdm:::many' is not a number of chains"),
        ("magic", "unknown 'magic'; choose from"),
    ],
)
def test_names_that_mean_nothing_are_refused(name, words):
    with pytest.raises(InputError, match=words):
        check_method(name)


def test_classical_and_sampled_methods_are_run_by_name(small_scan, tmp_path):
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.3))
    assert run_method("cg-sense", measurement).record.method == "cg-sense"
    quick = tmp_path / "quick.json"
    quick.write_text(json.dumps(replace(preset("fast"), iterations=2).to_dict()))
    record = run_method(f"pogmdm::{quick}:2", measurement, seed=5).record
    assert (record.method, record.sampler["chains"], record.sampler["seed"]) == ("pogmdm", 2, 5)
    with pytest.raises(InputError, match="unknown"):
        run_method("magic", measurement)
