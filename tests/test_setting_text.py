"""Single settings as ``name=value``."""

from __future__ import annotations

from dataclasses import replace

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.classical.tv import TvSettings
from napari_pogmdm.recon.sampler.presets import PRESETS, preset
from napari_pogmdm.recon.sampler.settings import Algorithm, SamplerSettings
from napari_pogmdm.setting_text import differences, with_values


def test_values_are_read_in_the_type_of_their_setting():
    read = with_values(
        SamplerSettings(), ["iterations = 7", "data_step=2", "renormalise=TRUE", "algorithm=splitting", "momentum=1e-1"]
    )
    assert read == SamplerSettings(
        iterations=7, data_step=2.0, renormalise=True, algorithm=Algorithm.SPLITTING, momentum=0.1
    )
    assert read.algorithm is Algorithm.SPLITTING
    assert with_values(TvSettings(), ["weight=0.5", "coil_start=newton"]).to_dict()["coil_start"] == "newton"


@pytest.mark.parametrize("first", PRESETS)
@pytest.mark.parametrize("second", PRESETS)
def test_differences_lead_from_one_preset_to_the_other(first, second):
    texts = differences(preset(first), preset(second))
    assert with_values(preset(second), texts) == preset(first)
    assert bool(texts) == (first != second)


def test_only_what_differs_is_written_and_as_it_is_read():
    changed = replace(SamplerSettings(), renormalise=True, coil_start="auto", data_step=2)
    assert differences(changed, SamplerSettings()) == ["data_step=2.0", "coil_start=auto", "renormalise=true"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("iterations=2.5", "--set: iterations: '2.5' is not a whole number from 1 to 100000."),
        ("iterations=0", "--set: iterations: 0 is not a whole number from 1 to 100000."),
        ("update_coils=perhaps", "--set: update_coils: 'perhaps' is not true or false."),
        ("prior_weight=nan", "--set: prior_weight: nan is not a number from 1e-06 to 1000."),
        ("prior_weight=", "--set: prior_weight: '' is not a number from 1e-06 to 1000."),
        ("algorithm=magic", "--set: algorithm: 'magic' is not one of predictor-corrector, splitting, posterior."),
    ],
)
def test_what_cannot_be_read_is_refused_in_the_words_of_the_setting(text, sentence):
    with pytest.raises(InputError) as caught:
        with_values(SamplerSettings(), [text])
    assert str(caught.value) == sentence


@pytest.mark.parametrize("text", ["volume=11", "iterations", "=3", ""])
def test_what_is_no_setting_is_refused_with_the_names_there_are(text):
    with pytest.raises(InputError, match=r"^--set: cannot read .* write name=value with one of algorithm, "):
        with_values(SamplerSettings(), [text])
