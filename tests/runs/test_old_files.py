"""Files that version 0.1 wrote: result, record, recording, settings and preset."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.recon.measurement import reference_image
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.preset_file import read_settings
from napari_pogmdm.recon.sampler.presets import shipped
from napari_pogmdm.runs.record_file import read_records
from napari_pogmdm.runs.recording_reader import read_recording
from napari_pogmdm.runs.repeat import repeat

FILES = Path(__file__).parent / "version_0_1"


def test_a_result_still_tells_its_record():
    (record,) = read_records(FILES / "result-0.1.h5")
    assert record.method == "pogmdm"
    assert record.sampler["chains"] == 2
    assert record.changes == [{"iteration": 1, "substep": 1, "name": "prior_weight", "value": 2.0, "chain": 0}]


def test_a_record_still_repeats_its_run():
    (record,) = read_records(FILES / "record-0.1.json")
    again = repeat(record)
    reference = reference_image(open_scan("phantom")[0])
    assert reference is not None
    assert metrics(reference, again.image).psnr == pytest.approx(33.1081, abs=2e-3)
    assert float(again.image.mean()) == pytest.approx(0.297513, rel=1e-4)
    later = {"choose": "none", "relative_levels": False, "warm_start": False, "draw_width": 1.0}
    later |= {"mirror_noise": False, "draw_noise": 1.0}
    assert again.record.settings == {**record.settings, **later}
    assert again.record.changes == record.changes
    assert again.record.mask == record.mask


def test_a_recording_still_plays():
    recording = read_recording(FILES / "recording-0.1.pogmdm.h5")
    assert len(recording) > 4
    picture = recording.picture("image", len(recording) - 1)
    assert picture is not None
    assert picture.shape == (32, 32)
    assert np.isfinite(picture).all()


def test_settings_and_presets_still_load():
    settings = read_settings(FILES / "settings-0.1.json")
    assert settings.iterations == 4
    assert settings.injected_noise == 0.3
    assert read_settings(FILES / "preset-0.1.json") == shipped("fast").settings
    assert read_settings(FILES / "result-0.1.h5") == settings
