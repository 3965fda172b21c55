"""The presets that ship are the ones that `tune` chose."""

from __future__ import annotations

import pytest

from napari_pogmdm.recon.sampler.presets import PRESETS, shipped


@pytest.mark.parametrize("name", ["default", "fast"])
def test_a_shipped_preset_has_the_best_value_of_everything_that_was_tried(name):
    file = shipped(name)
    assert file.settings == PRESETS[name]
    assert file.tuning["command"].startswith("napari-pogmdm tune ")
    assert "demo" not in file.tuning["scans_sha256"]
    trials = file.tuning["trials"]
    assert len({trial["setting"] for trial in trials}) >= 5
    for setting in {trial["setting"] for trial in trials}:
        tried = [trial for trial in trials if trial["setting"] == setting]
        best = max(tried, key=lambda trial: sum(trial["psnr"]))
        assert getattr(file.settings, setting) == best["value"], setting
