"""Going through a recorded run without a window."""

from __future__ import annotations

from napari_pogmdm.gui.core.replay import Replay
from napari_pogmdm.runs.recording_reader import demo_recording, read_recording


def test_trace_and_status_follow_the_frame(short_recording):
    replay = Replay(short_recording)
    replay.go_to(2)
    assert replay.trace[-1] == replay.point
    assert len(replay.trace) == short_recording.moments[2] + 1
    assert replay.status.iteration == replay.point.iteration
    assert replay.status.sigma == replay.point.sigma
    assert not replay.status.phase.busy


def test_what_did_not_change_is_not_unpacked_again(short_recording):
    replay = Replay(short_recording)
    roles = ["image", "reference", "coil magnitude", "error"]
    assert set(replay.frame(roles).arrays) == set(roles)
    replay.go_to(1)
    assert set(replay.frame(roles, again=False).arrays) == {"image", "error"}
    assert set(replay.frame(roles, again=True).arrays) == set(roles)


def test_playing_keeps_time_stops_at_the_end_and_loops(short_recording):
    replay = Replay(short_recording, speed=10)
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


def test_the_shipped_recording_is_small_and_shows_a_run_that_gets_better():
    recording = read_recording(demo_recording())
    assert demo_recording().stat().st_size < 4_000_000
    replay = Replay(recording)
    assert len(replay) >= 24
    assert {"image", "tweedie", "error", "reference", "coil magnitude", "coil phase"} <= set(recording.roles)
    replay.go_to(len(replay) - 1)
    assert replay.point.psnr > replay.trace[0].psnr + 6
