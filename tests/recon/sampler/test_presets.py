"""The presets that ship are the ones that `tune` chose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.method_names import SINGLE_COIL
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.presets import PRESETS, preset, shipped
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe


@pytest.mark.parametrize("name", ["default", "fast"])
def test_a_shipped_preset_has_the_best_value_of_everything_that_was_tried(name):
    file = shipped(name)
    assert file.settings == replace(PRESETS[name], map_sets=1, choose="none")
    assert file.tuning["command"].startswith("napari-pogmdm tune ")
    assert "demo" not in file.tuning["scans_sha256"]
    trials = file.tuning["trials"]
    assert len({trial["setting"] for trial in trials}) >= 5
    for setting in {trial["setting"] for trial in trials}:
        tried = [trial for trial in trials if trial["setting"] == setting]
        best = max(tried, key=lambda trial: sum(trial["psnr"]))
        assert getattr(file.settings, setting) == best["value"], setting


def test_presets_let_the_data_choose_beside_what_was_tuned():
    assert {name: (one.map_sets, one.choose) for name, one in PRESETS.items()} == {
        "paper": (1, "none"),
        "default": (0, "full"),
        "fast": (0, "quick"),
        "posterior": (0, "full"),
        "paper-tuned": (1, "none"),
    }
    assert SINGLE_COIL.choose == "none"


def test_the_paper_preset_is_the_printed_algorithm():
    paper = PRESETS["paper"]
    assert (paper.iterations, paper.start_time, paper.corrector_steps, paper.data_step) == (1000, 0.2, 1, 1.0)
    assert (paper.schedule_power, paper.largest_noise, paper.smallest_noise) == (5.0, 10.0, 0.001)
    assert not paper.renormalise
    assert not paper.final_denoise
    assert paper.coil_start == "zero-filled"


def test_the_tuned_algorithm_1_keeps_what_is_printed():
    tuned, paper = PRESETS["paper-tuned"], PRESETS["paper"]
    free = ("corrector_ratio", "data_step", "coil_step", "coil_smoothing", "renormalise")
    assert replace(tuned, **{name: getattr(paper, name) for name in free}) == paper
    trials = shipped("paper-tuned").tuning["trials"]
    best = max(trials, key=lambda trial: sum(trial["psnr"]))
    assert getattr(tuned, best["setting"]) == best["value"]
    assert "demo" not in shipped("paper-tuned").tuning["scans_sha256"]


@pytest.mark.slow
def test_presets_beat_the_classical_methods_on_a_phantom(prior, head):
    scan, measurement = head
    reference = reference_image(scan)
    assert reference is not None
    psnr = {
        name: metrics(reference, reconstruct(measurement, model=prior, preset=preset(name)).image).psnr
        for name in ("default", "fast")
    }
    classical = metrics(reference, reconstruct(measurement, "cg-sense").image).psnr
    assert psnr["default"] > classical + 2
    assert psnr["fast"] > classical + 2


@pytest.mark.slow
@pytest.mark.parametrize("code", ["C4/8", "C4/8r", "C4/2", "R11", "G8"])
@pytest.mark.parametrize("name", ["default", "fast"])
def test_no_mask_makes_a_small_scan_of_many_coils_fail(prior, code, name):
    """Thin centres, centres that are not fully sampled, and 96 x 96 pixels with 16 coils."""
    image = shepp_logan((96, 96)) * np.exp(1j * smooth_phase((96, 96), np.random.default_rng(0)))
    scan = simulate_scan(image, coils=16, noise=0.01, seed=4)
    measurement = undersample(scan, MaskRecipe.from_code(code).make_for((96, 96)), coils=8)
    settings = replace(preset(name), iterations=6)
    reference = reference_image(scan)
    assert reference is not None
    ours = metrics(reference, reconstruct(measurement, model=prior, preset=settings).image).psnr
    assert ours > metrics(reference, reconstruct(measurement, "zero-filled").image).psnr + 1


def test_unknown_presets_are_refused():
    with pytest.raises(InputError, match="unknown 'turbo'"):
        preset("turbo")
