from __future__ import annotations

from dataclasses import dataclass, fields, replace

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.sampler import setting_rows
from napari_pogmdm.gui.docks.sampler.setting_rows import GROUPS, OTHER, ROWS, rows
from napari_pogmdm.recon.sampler.presets import PRESETS, preset
from napari_pogmdm.recon.sampler.settings import SamplerSettings


def test_every_setting_is_described():
    described = {row.name for row in ROWS}
    assert {one.name for one in fields(SamplerSettings)} == described
    for row in ROWS:
        assert row.group in GROUPS
        assert len(row.meaning) > 15, f"{row.name} needs a sentence"
        assert row.name in row.tooltip
        assert row.meaning in row.tooltip


def test_a_setting_without_a_description_still_gets_a_row(monkeypatch):
    @dataclass(frozen=True)
    class Grown(SamplerSettings):
        new_idea: float = 1.5

    monkeypatch.setattr(setting_rows, "SamplerSettings", Grown)
    extra = [row for row in rows() if row.group == OTHER]
    assert [row.name for row in extra] == ["new_idea"]


def test_ranges_hold_every_preset_and_are_no_wider_than_what_is_allowed():
    for row in ROWS:
        for name, settings in PRESETS.items():
            value = getattr(settings, row.name)
            if isinstance(value, (bool, str)):
                assert not row.choices or value in row.choices
            else:
                assert row.low <= value <= row.high, f"{row.name} of {name}"
                if row.name != "smallest_noise":
                    replace(preset("paper"), **{row.name: type(value)(row.high)})
                with pytest.raises(InputError):
                    replace(preset("paper"), **{row.name: type(value)(2 * row.high + 1)})


def test_only_what_the_algorithm_uses_is_shown():
    shown = {name: {row.name for row in ROWS if row.used_by(preset(name))} for name in ("paper", "default")}
    assert {"start_time", "corrector_ratio", "data_step"} <= shown["paper"] - shown["default"]
    assert {"prior_weight", "conjugate_gradients", "injected_noise"} <= shown["default"] - shown["paper"]
    alone = replace(preset("paper"), update_coils=False)
    assert not next(row for row in ROWS if row.name == "coil_step").used_by(alone)
