"""The benchmark that users run."""

from __future__ import annotations

import json

from napari_pogmdm.recon.defaults import DEFAULT_MODEL


def test_bench_tells_times_memory_and_what_the_paper_reports(succeed):
    few = ("--size", "32", "--coils", "2", "--iterations", "1", "--device", "cpu")
    facts = json.loads(succeed("bench", "--json", *few))
    assert [(one["preset"], one["model"]) for one in facts["presets"]] == [
        ("paper", "flf-tc"),
        ("default", DEFAULT_MODEL),
        ("fast", DEFAULT_MODEL),
        ("default", "sh-2"),
    ]
    for one in facts["presets"]:
        assert one["seconds"] >= one["iterations"] * one["milliseconds"] / 1e3 > 0
    assert facts["paper_preset_over_paper"] == facts["presets"][0]["seconds"] / 2
    told = succeed("bench", *few)
    assert "The paper reports 2 s for 200 iterations at 15 coils" in told


def test_a_card_that_is_not_there_is_one_sentence(sentence):
    assert "device: cuda is not available" in sentence("bench", "--device", "cuda")
