"""Options of a training become its settings and the shape of its prior."""

from __future__ import annotations

from napari_pogmdm.cli.options.training import PriorOptions
from napari_pogmdm.prior.configuration import VARIANTS, Sharing
from napari_pogmdm.settings import describe
from napari_pogmdm.training.settings import TrainingSettings


def test_every_setting_of_a_training_is_an_option_that_says_what_it_does(succeed, monkeypatch):
    monkeypatch.setenv("COLUMNS", "2000")
    lines = {line.strip(" │*").split()[0]: line for line in succeed("train", "--help").splitlines() if "│" in line}
    for name, one in describe(TrainingSettings).items():
        line = lines["--" + name.replace("_", "-")]
        assert one.meaning[1:] in line
        assert "default: " in line or one.default is False


def test_a_bad_value_is_named_as_everywhere(sentence, tmp_path):
    assert sentence("train", "--data", tmp_path, "--out", tmp_path / "out", "--batch", 0) == (
        "batch: 0 is not a whole number from 1 to 4096."
    )


def test_a_variant_is_changed_where_an_option_says_so():
    variant = VARIANTS["flf"]
    assert PriorOptions().changed(variant) == variant
    changed = PriorOptions(filter_count=3, bound=0.25).changed(variant)
    assert (changed.filter_count, changed.bound, changed.filter_size) == (3, 0.25, variant.filter_size)
    assert PriorOptions(sharing=Sharing.BOTH).changed(VARIANTS["sh-2"]) == VARIANTS["sh-2-shared"]
