from __future__ import annotations

import json
import math

from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.sampler.choices.choices import INCONSISTENT, VAGUE, Choices
from napari_pogmdm.recon.sampler.choices.trial import Verdict
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import Choosing

TRIED = {"newton": Verdict(0.04, 0.01, 0.01), "newton, 2 sets": Verdict(0.02, 0.01, 0.01)}


def choices(**facts) -> Choices:
    usual = {"asked": Choosing.FULL, "map_sets": 1, "coil_start": CoilStart.NEWTON, "coil_smoothing": 100.0}
    return Choices(**{**usual, "verdicts": TRIED, "signal": 0.09, **facts})


def test_the_choice_is_said_in_one_sentence_with_its_evidence():
    (one,) = choices().words
    assert one.startswith("one map set; coils from three Newton steps (")
    assert "newton 4, newton, 2 sets 2" in one
    (two,) = choices(map_sets=2, wraps=True).words
    assert two.startswith("the field of view wraps: two map sets;")
    assert "two signals share a pixel" in choices(map_sets=2).words[0]
    assert "coil smoothing 400 for this image size" in choices(coil_smoothing=400.0, scaled=True).words[0]


def test_data_that_do_not_fit_are_reported_in_one_more_sentence():
    assert choices().consistent
    broken = {"newton": Verdict(math.inf, math.inf, 0.01), "newton, 2 sets": Verdict(0.02, 0.01, 0.01)}
    for facts in ({"misfit": 1.3}, {"unexplained": 0.6}, {"shot_phase": -0.5}, {"colour": 1.2}, {"verdicts": broken}):
        assert not choices(**facts).consistent
        assert choices(**facts).words[1:] == (INCONSISTENT,)
    assert choices(verdicts=dict(reversed(broken.items()))).consistent, "a contender may diverge, the usual one not"


def test_two_sets_that_are_hardly_told_apart_are_said_in_one_more_sentence():
    assert choices(map_sets=2, vague=True).words[1:] == (VAGUE,)
    assert choices(map_sets=2, vague=True).to_dict()["vague"] is True
    assert choices(map_sets=2, vague=True, misfit=1.3).words[1:] == (INCONSISTENT,), "that is worse, and enough"


def test_nothing_is_said_where_nothing_was_judged():
    assert choices(verdicts={}).words == ()
    assert choices(verdicts={}, shot_phase=1.0).words == (INCONSISTENT,)


def test_settings_are_filled_in_and_leave_nothing_to_choose():
    settings = choices(map_sets=2, coil_smoothing=7.0).apply(preset("default"))
    assert (settings.map_sets, settings.coil_start, settings.coil_smoothing) == (2, "newton", 7)
    assert settings.choose == "none"
    assert settings.iterations == preset("default").iterations


def test_a_record_takes_it_as_plain_data():
    broken = {"newton": Verdict(math.inf, math.inf, 0.01)}
    data = choices(verdicts=broken, unexplained=math.inf).to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["errors"] == {"newton": None}
    assert data["consistent"] is False
    assert data["words"][-1] == INCONSISTENT
