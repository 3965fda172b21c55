from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QApplication, QFileDialog

from napari_pogmdm.gui.docks.sampler.dock import SamplerDock
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.sampler.presets import PRESETS, preset
from napari_pogmdm.recon.sampler.settings import Choosing
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.runs.record_file import read_records
from napari_pogmdm.runs.repeat import changes_of
from napari_pogmdm.runs.status import Phase
from runs.test_run import headless

LONG = 10_000


def docked(workbench) -> SamplerDock:
    dock = SamplerDock(workbench.viewer)
    workbench.viewer.window.add_dock_widget(dock, name="Sampler")
    return dock


@pytest.fixture
def dock(small) -> SamplerDock:
    return docked(small)


def press(bench, key: str) -> None:
    bench.viewer.window._qt_viewer.canvas._key_map_handler.press_key(key)


def test_a_run_is_stepped_played_paused_and_run_by_its_buttons(dock, small, until):
    session, buttons = small.session, dock.buttons
    buttons.substep.click()
    until(lambda: session.status.substep == 1)
    assert "iteration 1, after estimate" in dock.history.place.text()
    buttons.iteration.click()
    until(lambda: session.status.iteration == 1 and session.status.substep == 0)
    assert session.status.phase is Phase.PAUSED
    assert "iteration 1 of 4" in buttons.words.text()
    buttons.pace.setCurrentText("every 3 s")
    buttons.play.click()
    until(lambda: buttons.play.text() == "&Pause" and session.status.iteration == 2)
    buttons.play.click()
    until(lambda: session.status.phase is Phase.PAUSED)
    buttons.run.click()
    until(lambda: session.status.phase is Phase.FINISHED)
    assert buttons.run.text() == "&Run"
    assert buttons.bar.value() == buttons.bar.maximum()
    np.testing.assert_array_equal(session.result.image, headless(small.request).image)
    until(lambda: "5 states" in dock.history.memory.text() or "6 states" in dock.history.memory.text())
    buttons.reset.click()
    until(lambda: session.status.phase is Phase.IDLE)
    assert session.result is None
    assert not small.heard


def test_cancel_stops_a_run_says_where_and_a_new_one_can_begin(dock, small, until):
    small.session.settings = replace(small.session.settings, iterations=LONG)
    button = dock.buttons.run
    button.click()
    until(lambda: small.session.status.iteration >= 2)
    assert button.text() == "&Cancel"
    button.click()
    assert button.text() in {"Cancelling...", "&Run"}
    until(lambda: small.session.status.phase is Phase.STOPPED)
    step = small.session.status.iteration
    assert small.book.get("image").name == f"reconstruction |x| RSS(s), stopped at step {step}"
    assert small.session.result.record.stopped
    assert "stopped at step" in dock.buttons.words.text()
    button.click()
    until(lambda: small.session.status.iteration > step)
    assert small.book.get("image").name == "reconstruction |x| RSS(s)"
    button.click()
    until(lambda: small.session.status.phase is Phase.STOPPED)
    assert not small.heard


def test_going_back_and_forking_keeps_both_pictures_and_repeats(dock, small, until):
    session, history = small.session, dock.history
    dock.buttons.run.click()
    until(lambda: session.status.phase is Phase.FINISHED)
    first = session.result.image
    assert not history.fork.isEnabled()
    history.slider.setValue(1)
    until(lambda: session.status.shown == 1 and history.fork.isEnabled())
    assert history.place.text() == "iteration 1, complete"
    dock.form.editor("prior_weight").setValue(0.1)
    history.fork.click()
    until(lambda: session.status.phase is Phase.FINISHED and session.result is not None)
    until(lambda: small.book.get("before fork") is not None)
    np.testing.assert_allclose(small.book.get("before fork").data, first, rtol=1e-5)
    until(lambda: small.canvas.panels() == [small.book.get("image"), small.book.get("before fork")])
    assert not np.array_equal(session.result.image, first)
    record = session.result.record
    assert [(one["iteration"], one["name"]) for one in record.changes] == [(1, "prior_weight")]
    np.testing.assert_array_equal(session.result.image, headless(small.request, changes_of(record)).image)


def test_chains_give_a_mean_and_a_standard_deviation(dock, small, until):
    assert not dock.layers.boxes["deviation"].isEnabled(), "chains of splitting share their answer"
    assert "not an uncertainty" in dock.layers.boxes["deviation"].toolTip()
    small.session.settings = replace(small.session.settings, algorithm="posterior")
    until(lambda: dock.layers.boxes["deviation"].isEnabled())
    dock.presets.chains.setValue(3)
    dock.presets.seed.setValue(7)
    for role in ("mean", "deviation", "coil magnitude", "phase"):
        dock.layers.boxes[role].click()
    dock.buttons.run.click()
    until(lambda: small.session.status.phase is Phase.FINISHED)
    assert "chain 3 of 3" in dock.buttons.words.text()
    until(lambda: all(small.book.get(role) is not None for role in ("mean", "deviation", "coil magnitude")))
    result = small.session.result
    np.testing.assert_array_equal(result.image, headless(small.request).image)
    np.testing.assert_allclose(small.book.get("mean").data, result.image, rtol=1e-5)
    np.testing.assert_allclose(small.book.get("deviation").data, np.sqrt(result.variance), rtol=1e-4, atol=1e-9)
    assert small.book.get("image").thumbnail[..., :3].max() > 50
    assert small.book.get("coil magnitude").data.shape == (4, 48, 40)
    assert small.book.get("phase").contrast_limits == pytest.approx([-np.pi, np.pi])
    dock.layers.boxes["mean"].click()
    assert not small.book.get("mean").visible
    shown = []
    for _ in range(4):
        dock.layers.cycle()
        shown.append(list(small.canvas.view.chosen))
    assert sorted(shown) == [["deviation"], ["doubt"], ["image"], ["mean"]]
    while small.canvas.view.chosen != ["doubt"]:
        dock.layers.cycle()
    until(lambda: small.book.get("doubt") is not None)
    assert 0 <= small.book.get("doubt").data.min() <= small.book.get("doubt").data.max() <= 1


def test_settings_follow_presets_algorithm_and_the_run(dock, small, until):
    form, session = dock.form, small.session
    dock.presets.preset.setCurrentText("paper")
    assert session.settings == PRESETS["paper"]
    assert form.shown("corrector_ratio")
    assert not form.shown("prior_weight")
    form.editor("algorithm").setCurrentText("splitting")
    assert form.shown("prior_weight")
    assert dock.presets.preset.currentText() == "own"
    form.editor("largest_noise").setValue(1e-6)
    assert session.settings.largest_noise == 10.0
    assert [notice.text for notice in small.heard] == ["smallest_noise: 0.001 is not below largest_noise, 1e-06."]
    assert form.editor("largest_noise").value() == 10.0
    dock.presets.preset.setCurrentText("default")
    form.editor("iterations").setValue(LONG)
    dock.buttons.run.click()
    until(lambda: session.status.iteration >= 1)
    assert not form.editor("iterations").isEnabled()
    assert not dock.presets.seed.isEnabled()
    assert form.editor("prior_weight").isEnabled()
    form.editor("prior_weight").setValue(0.7)
    assert session.settings.prior_weight == 0.7
    dock.buttons.run.click()
    until(lambda: session.status.phase is Phase.STOPPED)
    dock.buttons.iteration.click()
    until(lambda: session.status.phase is Phase.PAUSED)
    dock.buttons.run.click()
    until(lambda: session.status.phase is Phase.RUNNING)
    dock.buttons.run.click()
    until(lambda: session.status.phase is Phase.STOPPED and session.result is not None)
    assert [one["value"] for one in session.result.record.changes] == [0.7]
    dock.buttons.reset.click()
    until(lambda: form.editor("iterations").isEnabled())


def test_settings_are_saved_and_loaded_as_files(dock, small, tmp_path, monkeypatch):
    path = tmp_path / "mine.json"
    small.session.settings = replace(preset("fast"), prior_weight=0.33)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    dock.presets.store.click()
    dock.presets.preset.setCurrentText("default")
    dock.presets.load.click()
    assert small.session.settings == replace(preset("fast"), prior_weight=0.33)
    path.write_text("{}[")
    dock.presets.load.click()
    assert "is not a readable JSON file" in small.heard[-1].text


def test_the_keyboard_plays_steps_and_goes_back(dock, small, until):
    session = small.session
    press(small, "Right")
    until(lambda: session.status.substep == 1)
    press(small, "Right")
    until(lambda: session.status.substep == 2)
    press(small, "Left")
    until(lambda: session.status.shown == 1)
    press(small, "Right")
    until(lambda: session.status.shown == 2)
    assert len(session.status.kept) == 3
    press(small, "Space")
    until(lambda: session.status.phase is Phase.FINISHED)
    press(small, "Left")
    until(lambda: session.status.behind)


def test_drawing_keeps_its_space_key_and_text_fields_keep_theirs(dock, small, qtbot):
    labels = small.viewer.add_labels(np.zeros((8, 8), dtype=int))
    labels.mode = "paint"
    handler = small.viewer.window._qt_viewer.canvas._key_map_handler
    handler.press_key("Space")
    assert labels.mode == "pan_zoom"
    handler.release_key("Space")
    assert labels.mode == "paint"
    small.viewer.layers.remove(labels)
    qtbot.keyClick(dock.presets.seed, Qt.Key.Key_Right)
    qtbot.keyClick(dock.presets.seed, Qt.Key.Key_Space)
    assert small.session.status.phase is Phase.IDLE


def test_a_closed_dock_gives_back_its_keys_and_its_thread(small, until):
    before = set(small.viewer.keymap)
    threads = threading.active_count()
    dock = docked(small)
    assert len(set(small.viewer.keymap) - before) == 4
    small.viewer.window.remove_dock_widget(dock)
    dock.deleteLater()
    until(lambda: set(small.viewer.keymap) == before and threading.active_count() == threads)
    small.session.settings = preset("fast")
    assert small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED)
    assert not small.heard


def test_trouble_is_one_notice_and_the_window_goes_on(dock, small, until, monkeypatch):
    def broken(*_):
        raise RuntimeError("shapes cannot be multiplied")

    with monkeypatch.context() as patch:
        patch.setattr(type(small.session.prior), "denoise", broken)
        dock.buttons.run.click()
        until(lambda: small.heard and small.session.status.phase is Phase.STOPPED)
    assert ["RuntimeError: shapes" in notice.text for notice in small.heard] == [True]
    dock.buttons.run.click()
    until(lambda: small.session.status.phase is Phase.FINISHED)
    assert len(small.heard) == 1


def test_a_second_run_during_a_run_is_refused(dock, small, until):
    small.session.settings = replace(small.session.settings, iterations=LONG)
    dock.buttons.run.click()
    until(lambda: small.session.status.phase is Phase.RUNNING)
    assert not small.start(Phase.RUNNING)
    assert [notice.text for notice in small.heard] == ["sampler: a run is under way; pause or cancel it first."]
    small.viewer.layers.clear()
    dock.buttons.run.click()
    until(lambda: small.session.status.phase is Phase.STOPPED)
    assert len(small.heard) == 1


def test_another_mask_makes_the_next_run_a_new_one(dock, small, until):
    dock.buttons.iteration.click()
    until(lambda: small.session.status.iteration == 1)
    before = small.session.measurement
    small.session.mask_request = MaskRecipe("cartesian", 3.0, 0.2)
    until(lambda: small.session.measurement not in (None, before))
    until(lambda: dock.form.editor("iterations").isEnabled())
    assert dock.buttons.words.text().endswith("of an earlier scan, mask or model; the next run starts again")
    dock.buttons.iteration.click()
    until(lambda: small.request.measurement is small.session.measurement and small.session.status.iteration == 1)
    until(lambda: dock.buttons.words.text().endswith("paused"))


def test_the_grid_shows_visible_layers_in_one_place_with_one_contrast(dock, small, until):
    small.book.ask("residual")
    dock.buttons.iteration.click()
    until(lambda: small.book.get("residual") is not None and small.book.get("image") is not None)
    dock.layers.boxes["zero-filled"].click()
    image, residual, first = (small.book.get(role) for role in ("image", "residual", "zero-filled"))
    until(lambda: small.canvas.panels() == [image, residual, first])
    assert small.viewer.canvas.grid.enabled
    assert residual.translate[-1] == 0.0
    image.contrast_limits = (0.0, 0.3)
    assert list(first.contrast_limits) == [0.0, 0.3]
    dock.layers.grid.click()
    assert not small.viewer.canvas.grid.enabled
    assert small.canvas.panels() == [first]
    small.canvas.show("Image")
    image.contrast_limits = (0.0, 0.5)
    assert list(first.contrast_limits) == [0.0, 0.3]


def run_outside(code: list[str], folder: Path) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(code, cwd=folder, check=True, timeout=300, env=environment, capture_output=True)


@pytest.mark.parametrize("drawn", [False, True])
def test_a_saved_result_and_the_copied_command_and_script_are_the_same_run(
    workbench, fastmri_file, until, tmp_path, monkeypatch, drawn
):
    """With a plain mask, options tell everything; a drawn one and a change on the way are read from a record."""
    session, dock = workbench.session, docked(workbench)
    session.settings = replace(preset("default"), iterations=3, injected_noise=0.5)
    session.virtual_coils = 3
    session.mask_request = MaskRecipe("cartesian", 2.0, 0.3)
    workbench.loader.open(fastmri_file(), 1)
    workbench.loader.load_model("flf-tc")
    until(lambda: session.measurement is not None and session.prior is not None)
    if drawn:
        samples = session.mask.samples.copy()
        samples[:, 3] = True
        before = session.measurement
        session.mask_request = Mask(samples, "drawn")
        until(lambda: session.measurement not in (None, before))
    dock.presets.chains.setValue(2)
    dock.buttons.iteration.click()
    until(lambda: session.status.iteration == 1)
    if drawn:
        dock.form.editor("prior_weight").setValue(0.3)
    dock.buttons.run.click()
    until(lambda: session.status.phase is Phase.FINISHED)
    saved = tmp_path / "saved.h5"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(saved), ""))
    dock.save.click()
    until(saved.exists)
    until(lambda: dock.save.isEnabled())
    assert read_records(saved)[0] == session.result.record

    dock.copy_command.click()
    words = shlex.split(QApplication.clipboard().text())
    assert words[:2] == ["napari-pogmdm", "reconstruct"]
    start = "from napari_pogmdm.cli.main import main; main()"
    run_outside([sys.executable, "-c", start, *words[1:]], tmp_path)
    with h5py.File(tmp_path / "result.h5") as again, h5py.File(saved) as first:
        for name in ("reconstruction", "coils", "variance"):
            np.testing.assert_array_equal(again[name][:], first[name][:])

    dock.copy_python.click()
    script = QApplication.clipboard().text() + "\nimport numpy\nnumpy.save('image.npy', result.image)\n"
    run_outside([sys.executable, "-c", script], tmp_path)
    np.testing.assert_array_equal(np.load(tmp_path / "image.npy"), session.result.image)


def test_the_dock_says_what_the_data_chose(dock, small, until):
    small.session.settings = replace(small.session.settings, choose=Choosing.FULL)
    assert dock.buttons.chosen.text() == ""
    dock.buttons.run.click()
    until(lambda: small.session.status.phase is Phase.FINISHED)
    assert dock.buttons.chosen.text().startswith("Chosen from the data: ")
    assert "map set" in dock.buttons.chosen.text()
    assert "left out" in dock.buttons.chosen.toolTip()
    dock.buttons.reset.click()
    until(lambda: small.session.status.phase is Phase.IDLE)
    assert dock.buttons.chosen.text() == ""
