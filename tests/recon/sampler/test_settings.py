from __future__ import annotations

from dataclasses import replace

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import SamplerSettings


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
        ('{"algorithm": "magic"}', "choose from predictor-corrector"),
        ('{"coil_start": "magic"}', "choose from auto"),
        ('{"smallest_noise": 11.0}', "below largest_noise"),
    ):
        with pytest.raises(InputError, match=words):
            SamplerSettings.from_json(text)
    with pytest.raises(InputError, match="unknown 'turbo'"):
        preset("turbo")
