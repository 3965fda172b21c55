"""Settings come out of every file that holds some: bare, tuned, a record, a result."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from napari_pogmdm.data.result_file import result_file
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.sampler.preset_file import PresetFile, is_preset, read_settings, save_settings
from napari_pogmdm.recon.sampler.presets import preset

SETTINGS = replace(preset("fast"), iterations=2, map_sets=1, choose="none")


def test_settings_are_written_and_read(tmp_path: Path):
    save_settings(SETTINGS, tmp_path / "mine.json")
    assert read_settings(tmp_path / "mine.json") == SETTINGS
    assert is_preset(json.loads((tmp_path / "mine.json").read_text()))


def test_what_tune_wrote_is_a_preset_and_not_a_record(tmp_path: Path):
    (tmp_path / "tuned.json").write_text(PresetFile(SETTINGS, {"command": "tune"}).to_json())
    assert is_preset(json.loads((tmp_path / "tuned.json").read_text()))
    assert read_settings(tmp_path / "tuned.json") == SETTINGS


def test_the_settings_of_a_recorded_run_are_read_from_json_and_from_a_result_file(request_of, tmp_path: Path):
    request = request_of()
    done = reconstruct(request.measurement, model=request.prior, preset=SETTINGS)
    (tmp_path / "run.json").write_text(done.record.to_json())
    assert not is_preset(asdict(done.record))
    assert read_settings(tmp_path / "run.json") == SETTINGS
    with result_file(tmp_path / "result.h5", 1) as file:
        file.add(0, done.arrays())
        file.record(json.dumps([asdict(done.record)]))
    assert read_settings(tmp_path / "result.h5") == SETTINGS


def test_what_holds_no_sampler_settings_is_named(request_of, tmp_path: Path):
    classical = reconstruct(request_of().measurement, "zero-filled").record.to_json()
    for text, words in (
        (classical, "run.json: is the record of zero-filled, which has no sampler settings"),
        ("[]", "run.json: holds neither settings nor the record of a run"),
        ("5", "run.json: holds neither settings nor the record of a run"),
        ('{"volume": 11}', "run.json: sampler settings: unknown name 'volume'"),
        ('{"settings": 5}', "run.json: holds no settings"),
        ("{", "run.json: is not a readable JSON"),
    ):
        (tmp_path / "run.json").write_text(text)
        with pytest.raises(InputError, match=words):
            read_settings(tmp_path / "run.json")
