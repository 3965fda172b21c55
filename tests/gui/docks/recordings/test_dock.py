"""The Recordings dock in the real window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from qtpy.QtCore import Qt

from napari_pogmdm.gui.docks.recordings.dock import RecordingsDock
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.runs.recording_reader import demo_recording, read_recording
from napari_pogmdm.runs.status import Phase


@pytest.fixture
def dock(workbench, qtbot) -> RecordingsDock:
    made = RecordingsDock(workbench.viewer)
    workbench.viewer.window.add_dock_widget(made, name="Recordings", area="right")
    return made


def test_the_demo_run_opens_scrubs_plays_and_loops(workbench, dock, until, qtbot):
    session = workbench.session
    assert not dock.player.isEnabled()
    narrowest = dock.player.minimumSizeHint().width()
    qtbot.mouseClick(dock.demo_button, Qt.MouseButton.LeftButton)
    until(lambda: session.recording is not None and workbench.book.get("error") is not None)
    until(lambda: session.prior is not None and session.prior.name == session.recording.facts.model)
    assert "25 frames" in dock.card.text()
    assert dock.player.minimumSizeHint().width() == narrowest, "a long line must not widen the dock"
    image = workbench.book.get("image")
    first = image.data.copy()
    dock.player.slider.setValue(16)
    assert not np.array_equal(image.data, first)
    assert session.trace[-1].iteration == session.status.iteration == 160
    assert session.status.sigma == session.trace[-1].sigma
    assert "iteration 160 of 240" in dock.player.moment.text()
    workbench.book.ask("error")
    expected = np.abs(image.data - workbench.book.get("reference").data)
    np.testing.assert_allclose(workbench.book.get("error").data, expected, atol=1e-6)

    dock.player.slider.setFocus()
    qtbot.keyClick(dock.player.slider, Qt.Key.Key_Right)
    assert session.recording_frame == 17
    qtbot.keyClick(dock.player.slider, Qt.Key.Key_Home)
    assert session.recording_frame == 0
    dock.player.speed.setCurrentIndex(dock.player.speed.count() - 1)
    dock.player.play_button.click()
    assert "Pause" in dock.player.play_button.text()
    until(lambda: session.recording_frame > 3)
    dock.player.play_button.click()
    here = session.recording_frame
    assert "Play" in dock.player.play_button.text()
    dock.player.last_button.click()
    assert session.recording_frame == 24 > here
    dock.player.loop.setChecked(True)
    dock.player.play_button.click()
    until(lambda: 1 < session.recording_frame < 24)
    dock.close_button.click()
    assert not workbench.player.active
    assert not dock.player.isEnabled()


def test_a_run_ends_a_replay_and_a_replay_forgets_a_run(small, until, qtbot):
    dock = RecordingsDock(small.viewer)
    qtbot.addWidget(dock)
    session = small.session
    small.start(Phase.RUNNING)
    dock.open(demo_recording())
    until(lambda: small.player.active)
    shape = (224, 224)
    until(lambda: session.frame is not None and session.frame.arrays["image"].shape == shape)
    until(lambda: small.runner.take().status.phase is Phase.IDLE)
    small.pump()
    assert session.status.steps == 240
    assert small.book.get("image").data.shape == shape
    assert small.start(Phase.PAUSED)
    assert not small.player.active
    assert session.recording is None
    until(lambda: session.frame is not None)
    assert small.book.get("image").data.shape == session.acquisition.crop
    small.runner.reset()
    until(lambda: session.status.phase is Phase.IDLE)
    dock.open(demo_recording())
    until(lambda: small.player.active)
    session.mask_request = MaskRecipe("cartesian", 3.0, 0.2)
    until(lambda: not small.player.active)
    assert small.book.get("zero-filled").data.shape == session.acquisition.crop


def test_a_live_run_is_recorded_saved_and_opened_by_dropping_it(small, until, qtbot, tmp_path: Path, monkeypatch):
    from napari_pogmdm.gui.docks.recordings import recorder_box

    dock = RecordingsDock(small.viewer)
    small.viewer.window.add_dock_widget(dock, name="Recordings", area="right")
    qtbot.mouseClick(dock.recorder.recording_switch, Qt.MouseButton.LeftButton)
    assert dock.recorder.recording_switch.isChecked()
    small.start(Phase.PAUSED)
    until(lambda: small.session.frame is not None)
    for iteration in (1, 2, 3, 4):
        small.runner.step(whole_iteration=True)
        until(lambda wanted=iteration: small.session.status.iteration == wanted)
    until(lambda: small.session.result is not None)
    until(dock.recorder.save_button.isEnabled)
    path = tmp_path / "mine.pogmdm.h5"
    monkeypatch.setattr(recorder_box.QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    dock.recorder.save_button.click()
    until(path.exists)
    until(lambda: any("mine.pogmdm.h5" in notice.text for notice in small.heard))
    recording = read_recording(path)
    assert recording.trace[recording.moments[-1], 1] == 4
    assert recording.facts.record["steps"] == 4
    dock.recorder.watch_button.click()
    until(lambda: small.player.active)
    dock.close_button.click()

    small.viewer.open(path, plugin="napari-pogmdm")
    until(lambda: small.session.recording is not None and small.session.recording.name == "mine.pogmdm.h5")
    dock.player.slider.setValue(2)
    np.testing.assert_allclose(small.book.get("image").data, recording.picture("image", 2), atol=1e-6)


def test_a_film_of_what_is_visible_is_exported(workbench, dock, until, tmp_path: Path, monkeypatch):
    from PIL import Image

    from napari_pogmdm.gui.docks.recordings import film_box

    dock.demo_button.click()
    until(lambda: workbench.book.get("tweedie") is not None)
    workbench.book.ask("tweedie")
    workbench.book.ask("zero-filled", visible=False)
    path = tmp_path / "run.gif"
    monkeypatch.setattr(film_box.QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    dock.film.film_button.click()
    until(lambda: path.exists() and dock.film.film_button.isEnabled())
    with Image.open(path) as gif:
        assert gif.n_frames == 25
        assert gif.width == 2 * 224 + 4
    mp4 = dock.film.film_kind.findData(".mp4")
    able = dock.film.film_kind.model().item(mp4).isEnabled()
    assert able or "imageio-ffmpeg" in dock.film.film_kind.itemText(mp4)


def test_bad_files_become_one_sentence_and_the_window_stays_usable(workbench, dock, until, tmp_path: Path):
    broken = tmp_path / "broken.pogmdm.h5"
    broken.write_bytes(demo_recording().read_bytes()[:100_000])
    dock.open(broken)
    until(lambda: len(workbench.heard) == 1)
    assert workbench.heard[0].text.startswith("broken.pogmdm.h5: the file is damaged or cut short")
    dock.open(tmp_path / "none.pogmdm.h5")
    until(lambda: len(workbench.heard) == 2)
    dock.demo_button.click()
    until(lambda: workbench.session.recording is not None)


def test_the_sample_opens_in_the_workbench(workbench, until):
    workbench.viewer.open_sample("napari-pogmdm", "recording")
    until(lambda: workbench.session.recording is not None and workbench.book.get("image") is not None)
    assert workbench.player.active
