"""Going through a recorded run without a window, recording one without a window, and films of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.gui.core.replay import Replay
from napari_pogmdm.gui.docks.recordings import film
from napari_pogmdm.gui.docks.recordings.live_recorder import LiveRecorder
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.runs.display import geometry_of
from napari_pogmdm.runs.frames import make_frame
from napari_pogmdm.runs.make_recording import record, recorder_for
from napari_pogmdm.runs.recording_reader import demo_recording, read_recording
from napari_pogmdm.runs.run import Run

QUICK = replace(preset("default"), iterations=6, injected_noise=0.5, coil_start="low-pass")
LIMIT = 10**6


@pytest.fixture(scope="module")
def request_(small_scan) -> RunRequest:
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.3))
    return RunRequest(measurement, load_prior("flf-tc"), QUICK, 2, 5, reference_image(small_scan))


@pytest.fixture(scope="module")
def geometry(small_scan):
    return geometry_of(small_scan, reference_image(small_scan))


@pytest.fixture(scope="module")
def recording(request_, geometry):
    recorder = recorder_for(request_, geometry, LIMIT, coils_every=2)
    record(request_, recorder, every=2)
    return recorder.recording("run")


def test_a_recorded_run_is_the_run_itself(request_, recording):
    run = Run(request_)
    while not run.finished:
        run.step()
    frame = make_frame(run.context, run.state, ["image", "deviation"])
    step = 1.2 * float(request_.reference.max()) / 255
    last = len(recording) - 1
    assert np.abs(recording.picture("image", last) - np.minimum(frame.arrays["image"], 255 * step)).max() <= 0.51 * step
    assert recording.scene.record["steps"] == 6
    assert Replay(recording)._points[-1].psnr == pytest.approx(frame.point.psnr)
    assert recording.picture("deviation", 0) is None
    assert recording.picture("deviation", last).max() > 0


def test_frames_stand_at_the_chosen_iterations_and_the_trace_has_all(recording):
    chain_and_iteration = recording.trace[recording.moments][:, :2].astype(int).tolist()
    assert [0, 0] in chain_and_iteration
    assert [0, 6] in chain_and_iteration
    assert chain_and_iteration[-1] == [1, 6]
    assert all(iteration % 2 == 0 for _, iteration in chain_and_iteration if iteration)
    assert set(recording.trace[:, 1].astype(int)) == set(range(7))


def test_every_line_of_the_algorithm_can_be_recorded(request_, geometry):
    recorder = recorder_for(request_, geometry, LIMIT)
    record(replace(request_, chains=1), recorder, every=3, substeps=True)
    moments = recorder.recording("run")
    rows = moments.trace[moments.moments][:, 1:3].astype(int).tolist()
    assert [0, 1] in rows
    assert [0, 2] in rows
    assert [1, 1] not in rows
    assert moments.scene.plan == ("denoise", "data", "coils")


def test_recording_can_be_cancelled(request_, geometry):
    with pytest.raises(Cancelled):
        record(request_, recorder_for(request_, geometry, LIMIT), cancelled=lambda: True)


def test_unknown_pictures_are_refused(request_, geometry):
    with pytest.raises(InputError, match="roles: unknown 'x'"):
        record(request_, recorder_for(request_, geometry, LIMIT), roles=["x"])


def test_trace_and_status_follow_the_frame(recording):
    replay = Replay(recording)
    replay.go_to(2)
    assert replay.trace[-1] == replay.point
    assert len(replay.trace) == recording.moments[2] + 1
    assert replay.status.iteration == replay.point.iteration
    assert replay.status.sigma == replay.point.sigma
    assert not replay.status.phase.busy


def test_what_did_not_change_is_not_unpacked_again(recording):
    replay = Replay(recording)
    roles = ["image", "reference", "coil magnitude", "error"]
    assert set(replay.frame(roles).arrays) == set(roles)
    replay.go_to(1)
    assert set(replay.frame(roles, again=False).arrays) == {"image", "error"}
    assert set(replay.frame(roles, again=True).arrays) == set(roles)


def test_playing_keeps_time_stops_at_the_end_and_loops(recording):
    replay = Replay(recording, speed=10)
    replay.play()
    assert not replay.advance(0.05)
    assert replay.advance(0.06)
    assert replay.index == 1
    replay.advance(0.2)
    assert replay.index == 3
    replay.advance(100)
    assert replay.at_end
    assert not replay.playing
    replay.play()
    assert replay.index == 0
    replay.loop = True
    replay.go_to(len(replay) - 1)
    replay.advance(0.1)
    assert (replay.index, replay.playing) == (0, True)


def grey() -> np.ndarray:
    return np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)


def test_a_film_has_every_frame_and_its_caption(recording, tmp_path):
    from PIL import Image

    panels = [film.Panel(role, role, grey(), (0.0, 1.0)) for role in ("image", "coil magnitude", "deviation")]
    film.save_film(film.film_frames(recording, panels), tmp_path / "run.gif", 10)
    with Image.open(tmp_path / "run.gif") as gif:
        assert gif.n_frames == len(recording)
        assert gif.info["duration"] == 100
    first, *_, last = film.film_frames(recording, panels)
    assert first.shape == last.shape
    assert first.shape[0] % 2 == first.shape[1] % 2 == 0
    assert (first[-20:] != last[-20:]).any()  # the caption


def test_films_say_why_they_cannot_be_made(recording, tmp_path, monkeypatch):
    with pytest.raises(InputError, match="no picture of the recording is visible"):
        film.save_film(film.film_frames(recording, []), tmp_path / "run.gif", 10)
    assert not list(tmp_path.iterdir())
    assert "films are saved as" in film.film_trouble(tmp_path / "run.avi")
    monkeypatch.setattr(film, "find_spec", lambda name: None)
    assert "imageio-ffmpeg" in film.film_trouble(tmp_path / "run.mp4")


def test_a_live_recorder_keeps_what_it_is_given(request_, geometry, tmp_path):
    live = LiveRecorder(request_, geometry, LIMIT)
    run = Run(request_)
    for _ in range(3):
        live.take(make_frame(run.context, run.state, ["image"]), run.sampler.plan)
        run.step()
    live.finish({"method": "pogmdm"})
    recording = live.save(tmp_path / "run.pogmdm.h5")
    assert len(recording) == live.frames == 3
    assert read_recording(tmp_path / "run.pogmdm.h5").scene.record == {"method": "pogmdm"}
    live.close()


def test_a_live_recorder_says_what_went_wrong(request_, geometry):
    live = LiveRecorder(request_, geometry, limit=3)
    with pytest.raises(InputError, match="nothing has been recorded"):
        live.recording()
    assert "limit" in live.failure.text
    live.close()


def test_the_shipped_recording_is_small_and_shows_a_run_that_gets_better():
    recording = read_recording(demo_recording())
    assert demo_recording().stat().st_size < 4_000_000
    replay = Replay(recording)
    assert len(replay) >= 30
    assert {"image", "tweedie", "error", "reference", "coil magnitude", "coil phase"} <= set(recording.roles)
    replay.go_to(len(replay) - 1)
    assert replay.point.psnr > replay.trace[0].psnr + 6
