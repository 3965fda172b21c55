from __future__ import annotations

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.recordings.live_recorder import LiveRecorder
from napari_pogmdm.runs.frames import make_frame
from napari_pogmdm.runs.recording_reader import read_recording
from napari_pogmdm.runs.run import Run

LIMIT = 10**6


def test_a_live_recorder_keeps_what_it_is_given(recorded_request, recorded_geometry, tmp_path):
    live = LiveRecorder(recorded_request, recorded_geometry, LIMIT)
    run = Run(recorded_request)
    for _ in range(3):
        live.take(make_frame(run.context, run.state, ["image"]), run.sampler.plan)
        run.step()
    live.finish({"method": "pogmdm"})
    recording = live.save(tmp_path / "run.pogmdm.h5")
    assert len(recording) == live.frames == 3
    assert read_recording(tmp_path / "run.pogmdm.h5").facts.record == {"method": "pogmdm"}
    live.close()


def test_a_live_recorder_says_what_went_wrong(recorded_request, recorded_geometry):
    live = LiveRecorder(recorded_request, recorded_geometry, limit=3)
    with pytest.raises(InputError, match="nothing has been recorded"):
        live.recording()
    assert "limit" in live.failure.text
    live.close()
