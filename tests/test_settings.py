"""One mechanism behind every class of settings: what is declared is checked, told, written and read."""

from __future__ import annotations

import copy
import json
import math
import pickle
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import ClassVar

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.recon.classical.cg_sense import CgSenseSettings
from napari_pogmdm.recon.classical.joint_tv import JointTvSettings
from napari_pogmdm.recon.classical.tv import TvSettings
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampler.unconditional import PriorSamplingSettings
from napari_pogmdm.settings import Settings, describe, setting
from napari_pogmdm.training.settings import TrainingSettings

CLASSES = (
    SamplerSettings,
    PriorSamplingSettings,
    CgSenseSettings,
    TvSettings,
    JointTvSettings,
    TrainingSettings,
    PriorConfiguration,
)
EACH = [
    pytest.param(kind, one, id=f"{kind.__name__}.{one.name}") for kind in CLASSES for one in describe(kind).values()
]


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


@dataclass(frozen=True)
class Lamp(Settings):
    """Settings of a lamp."""

    title: ClassVar[str] = "lamp settings"

    lit: bool = setting(False, "whether it shines")
    power: float = setting(10.0, "how bright it is", unit="watts", within=(0.0, 1e6), only_with={"lit": (True,)})
    bulbs: int = setting(3, "how many bulbs it has", odd=True, within=(1, 9))
    colour: Colour = setting(Colour.RED, "of its light", only_with={"power": (10.0,)})
    plain: float = 1.5


@pytest.mark.parametrize(("kind", "one"), EACH)
def test_every_setting_is_declared_whole(kind, one):
    assert len(one.meaning) > 10
    assert one.label
    assert one.meaning in kind.__doc__.lower() or one.meaning[1:] in kind.__doc__
    assert one.kind in {bool, int, float} or issubclass(one.kind, StrEnum)
    if one.kind in {int, float}:
        assert math.isfinite(one.low)
        assert one.low < one.high < math.inf
    assert one.checked(one.default) == one.default
    assert all(name in describe(kind) for name in one.only_with)


@pytest.mark.parametrize(("kind", "one"), EACH)
def test_every_value_that_is_not_allowed_is_refused_in_one_sentence(kind, one):
    wrong = [None, [], "nonsense"]
    if one.kind is not bool:
        wrong.append(True)
    if one.kind is int:
        wrong += [one.low - 1, one.high + 1, float(one.default), math.nan]
    if one.kind is float:
        wrong += [one.low - abs(one.low) - 1e-9, 2 * one.high, 10**400, math.nan, math.inf]
    for value in wrong:
        with pytest.raises(InputError) as caught:
            kind(**{one.name: value})
        assert str(caught.value) == f"{one.name}: {value!r:.80} is not {one.wanted}."


@pytest.mark.parametrize(
    ("kind", "values", "sentence"),
    [
        (SamplerSettings, {"iterations": 0}, "iterations: 0 is not a whole number from 1 to 100000."),
        (SamplerSettings, {"iterations": 2.5}, "iterations: 2.5 is not a whole number from 1 to 100000."),
        (SamplerSettings, {"momentum": 2}, "momentum: 2 is not a number from 0 to 1."),
        (SamplerSettings, {"renormalise": 1}, "renormalise: 1 is not true or false."),
        (
            SamplerSettings,
            {"algorithm": "x"},
            "algorithm: 'x' is not one of predictor-corrector, splitting, posterior.",
        ),
        (SamplerSettings, {"smallest_noise": 11.0}, "smallest_noise: 11.0 is not below largest_noise, 10.0."),
        (PriorSamplingSettings, {"rows": 8}, "rows: 8 is not a whole number from 16 to 1024."),
        (PriorSamplingSettings, {"largest_noise": 0.01}, "smallest_noise: 0.01 is not below largest_noise, 0.01."),
        (CgSenseSettings, {"steps": -1}, "steps: -1 is not a whole number from 0 to 1000000."),
        (TvSettings, {"weight": "heavy"}, "weight: 'heavy' is not a number from 0 to 1000000."),
        (
            JointTvSettings,
            {"coil_start": "guess"},
            "coil_start: 'guess' is not one of auto, low-pass, espirit, newton, newton-6, newton-9, newton-smooth, "
            "calibrated, calibrated-coil, zero-filled.",
        ),
        (TrainingSettings, {"batch": 0}, "batch: 0 is not a whole number from 1 to 4096."),
        (TrainingSettings, {"average": 1.0}, "average: 1.0 is not a number from 0 to 0.999999."),
        (TrainingSettings, {"weighting": "all"}, "weighting: 'all' is not one of noise, balanced, tweedie."),
        (PriorConfiguration, {"filter_size": 4}, "filter_size: 4 is not an odd whole number from 3 to 31."),
        (PriorConfiguration, {"bound": -1.0}, "bound: -1.0 is not a number from 1e-06 to 100."),
        (PriorConfiguration, {"family": "wavelet"}, "family: 'wavelet' is not one of local, shearlet."),
    ],
)
def test_all_classes_speak_one_dialect(kind, values, sentence):
    with pytest.raises(InputError) as caught:
        kind.from_dict(values)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("kind", CLASSES)
def test_settings_survive_json_as_plain_data(kind):
    usual = kind()
    data = usual.to_dict()
    assert {type(value) for value in data.values()} <= {str, int, float, bool}
    assert list(data) == list(describe(kind))
    assert data == asdict(usual)
    assert json.loads(json.dumps(asdict(usual))) == data
    assert kind.from_json(usual.to_json()) == usual == kind.from_dict({}) == kind(**data)
    assert hash(kind(**data)) == hash(usual)
    assert pickle.loads(pickle.dumps(usual)) == copy.deepcopy(usual) == usual
    for text, words in (("{", "not valid JSON"), ("[1]", "JSON object"), ('{"magic": 1}', "unknown name 'magic'")):
        with pytest.raises(InputError, match=f"^{kind.title}: .*{words}"):
            kind.from_json(text)


@pytest.mark.parametrize(("kind", "one"), EACH)
def test_both_ends_of_a_range_are_allowed(kind, one):
    for value in (one.low, one.high) if one.kind in {int, float} else one.choices or (True, False):
        assert one.checked(value) == value
        assert type(one.checked(value)) is one.kind


def test_numbers_and_words_of_other_types_become_those_of_the_setting():
    lamp = Lamp(power=5, bulbs=np.int64(5), colour="green")
    assert lamp == Lamp(power=np.float32(5), bulbs=5, colour=Colour.GREEN)
    assert [type(value) for value in (lamp.power, lamp.bulbs, lamp.colour)] == [float, int, Colour]
    assert replace(lamp, colour="red").colour is Colour.RED
    assert (
        lamp.to_json() == '{\n  "lit": false,\n  "power": 5.0,\n  "bulbs": 5,\n  "colour": "green",\n  "plain": 1.5\n}'
    )


def test_a_setting_matters_only_with_what_it_needs():
    assert not Lamp().uses("power")
    assert Lamp(lit=True).uses("power")
    assert Lamp(lit=True).uses("colour")
    assert not Lamp().uses("colour"), "what needs an idle setting is idle too"
    assert not Lamp(lit=True, power=2.0).uses("colour")


def test_a_field_without_a_declaration_is_a_setting_too():
    plain = describe(Lamp)["plain"]
    assert (plain.name, plain.label, plain.kind, plain.default) == ("plain", "Plain", float, 1.5)
    assert plain.wanted == "a number"
    with pytest.raises(InputError, match="plain: 'x' is not a number"):
        Lamp(plain="x")


def test_settings_are_told_shortly_and_documented_wholly():
    lamp = Lamp(lit=True, colour="green")
    assert repr(lamp) == "Lamp(lit=True, colour='green')"
    assert eval(repr(lamp)) == lamp
    assert "power\n    How bright it is." in Lamp.__doc__
    assert Lamp.__doc__.startswith("Settings of a lamp.\n\nAttributes")


def test_a_word_may_stand_for_zero():
    one = describe(SamplerSettings)["map_sets"]
    assert one.read("auto") == one.checked("auto") == one.read("0") == 0
    assert SamplerSettings.from_dict({"map_sets": "auto"}).map_sets == 0
    assert one.wanted == "auto (0) or a whole number from 0 to 4"
    with pytest.raises(InputError, match="auto"):
        describe(SamplerSettings)["iterations"].read("auto")
