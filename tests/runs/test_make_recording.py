"""Recording a run without a window."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.runs.frames import make_frame
from napari_pogmdm.runs.make_recording import make_recording, recorder_for
from napari_pogmdm.runs.run import Run
from napari_pogmdm.runs.status import TracePoint

LIMIT = 10**6


def test_a_recorded_run_is_the_run_itself(recorded_request, short_recording):
    run = Run(recorded_request)
    while not run.finished:
        run.step()
    frame = make_frame(run.context, run.state, ["image", "deviation"])
    step = 1.2 * float(recorded_request.reference.max()) / 255
    last = len(short_recording) - 1
    assert (
        np.abs(short_recording.picture("image", last) - np.minimum(frame.arrays["image"], 255 * step)).max()
        <= 0.51 * step
    )
    assert short_recording.facts.record["steps"] == 6
    assert TracePoint.from_row(short_recording.trace[-1].tolist()).psnr == pytest.approx(frame.point.psnr)
    assert short_recording.picture("deviation", last) is None, "chains of splitting are no samples"


def test_frames_stand_at_the_chosen_iterations_and_the_trace_has_all(short_recording):
    chain_and_iteration = short_recording.trace[short_recording.moments][:, :2].astype(int).tolist()
    assert [0, 0] in chain_and_iteration
    assert [0, 6] in chain_and_iteration
    assert chain_and_iteration[-1] == [1, 6]
    assert all(iteration % 2 == 0 for _, iteration in chain_and_iteration if iteration)
    assert set(short_recording.trace[:, 1].astype(int)) == set(range(7))


def test_every_line_of_the_algorithm_can_be_recorded(recorded_request, recorded_geometry):
    recorder = recorder_for(recorded_request, recorded_geometry, LIMIT)
    make_recording(replace(recorded_request, chains=1), recorder, every=3, substeps=True)
    moments = recorder.recording("run")
    rows = moments.trace[moments.moments][:, 1:3].astype(int).tolist()
    assert [0, 1] in rows
    assert [0, 2] in rows
    assert [1, 1] not in rows
    assert moments.facts.plan == ("denoise", "data", "coils")


def test_recording_can_be_cancelled(recorded_request, recorded_geometry):
    with pytest.raises(Cancelled):
        make_recording(
            recorded_request, recorder_for(recorded_request, recorded_geometry, LIMIT), cancelled=lambda: True
        )


def test_unknown_pictures_are_refused(recorded_request, recorded_geometry):
    with pytest.raises(InputError, match="roles: unknown 'x'"):
        make_recording(recorded_request, recorder_for(recorded_request, recorded_geometry, LIMIT), roles=["x"])


@pytest.mark.slow
def test_recording_needs_no_window():
    program = "import napari_pogmdm.runs.make_recording, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert {"napari", "qtpy", "psygnal", "PyQt6"}.isdisjoint(loaded)
