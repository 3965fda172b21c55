"""Options of a training become its settings."""

from __future__ import annotations

from dataclasses import fields

import pytest

from napari_pogmdm.cli.options.training import ShapeOptions, TrainingOptions
from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import VARIANTS
from napari_pogmdm.training.settings import TrainingSettings


def test_every_setting_of_a_training_is_an_option_with_the_same_default():
    assert [one.name for one in fields(TrainingOptions)] == [one.name for one in fields(TrainingSettings)]
    assert TrainingOptions().settings == TrainingSettings()
    with pytest.raises(InputError, match="batch"):
        _ = TrainingOptions(batch=0).settings


def test_a_variant_is_changed_where_an_option_says_so():
    variant = VARIANTS["flf"]
    assert ShapeOptions().changed(variant) == variant
    changed = ShapeOptions(filter_count=3, bound=0.25).changed(variant)
    assert (changed.filter_count, changed.bound, changed.filter_size) == (3, 0.25, variant.filter_size)
