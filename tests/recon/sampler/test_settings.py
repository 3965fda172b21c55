"""The sampler's settings: what each algorithm uses, what may change on the way, and what old files hold."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import LIVE_SETTINGS, Algorithm, SamplerSettings
from napari_pogmdm.settings import describe


def test_settings_survive_json_and_refuse_nonsense():
    settings = replace(preset("default"), coil_smoothing=0.25)
    assert SamplerSettings.from_json(settings.to_json()) == settings
    for text, words in (
        ("{", "not valid JSON"),
        ("[1]", "JSON object"),
        ('{"magic": 1}', "unknown name 'magic'"),
        ('{"iterations": 0}', "from 1 to"),
        ('{"iterations": 2.5}', "whole number"),
        ('{"data_step": "x"}', "not a number"),
        ('{"data_step": NaN}', "not a number"),
        ('{"algorithm": "magic"}', "not one of predictor-corrector"),
        ('{"coil_start": "magic"}', "not one of auto"),
        ('{"smallest_noise": 11.0}', "not below largest_noise"),
    ):
        with pytest.raises(InputError, match=words):
            SamplerSettings.from_json(text)


@pytest.mark.parametrize("name", ["default", "fast"])
def test_a_shipped_file_is_written_again_letter_by_letter(name):
    file = files("napari_pogmdm.recon.sampler") / "preset_files" / f"{name}.json"
    stored = json.loads(file.read_text(encoding="utf-8"))["settings"]
    assert SamplerSettings.from_dict(stored).to_json() == json.dumps(stored, indent=2)
    assert list(stored) == list(describe(SamplerSettings))


def test_plain_words_and_kinds_make_the_same_settings():
    plain, kinds = SamplerSettings(algorithm="splitting"), SamplerSettings(algorithm=Algorithm.SPLITTING)
    assert plain == kinds
    assert hash(plain) == hash(kinds)
    assert plain.algorithm is Algorithm.SPLITTING
    assert plain.to_json() == kinds.to_json()


def test_what_may_change_during_a_run():
    assert set(LIVE_SETTINGS) == {
        "corrector_ratio",
        "data_step",
        "prior_weight",
        "conjugate_gradients",
        "momentum",
        "injected_noise",
        "draw_width",
        "draw_noise",
        "turn_images",
        "coil_interval",
        "coil_step",
        "coil_smoothing",
        "renormalise",
        "final_denoise",
    }


def test_each_algorithm_uses_its_own_settings():
    used = {name: {one for one in describe(SamplerSettings) if preset(name).uses(one)} for name in ("paper", "default")}
    assert used["paper"] - used["default"] == {
        "start_time",
        "schedule_power",
        "corrector_steps",
        "corrector_ratio",
        "data_step",
        "coil_step",
    }
    assert used["default"] - used["paper"] == {
        "choose",
        "data_noise",
        "prior_weight",
        "conjugate_gradients",
        "momentum",
        "injected_noise",
        "turn_images",
        "map_sets",
    }


def test_coils_that_stay_need_no_settings_of_their_updates():
    updates = {"coil_interval", "coil_step", "coil_smoothing", "renormalise"}
    alone, real = replace(preset("paper"), update_coils=False), replace(preset("paper"), real_image=True)
    assert all(preset("paper").uses(name) and not alone.uses(name) and not real.uses(name) for name in updates)
    assert alone.uses("coil_start")
    assert not real.uses("coil_start")


def test_settings_and_presets_load_nothing_heavy():
    program = "import napari_pogmdm.recon.sampler.presets, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert {"torch", "scipy", "h5py", "numba"}.isdisjoint(loaded)
