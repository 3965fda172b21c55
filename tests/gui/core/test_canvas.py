"""The one owner of the canvas, by what a person did in an hour of use when there was none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.data.acquisition import InMemoryScan
from napari_pogmdm.gui.docks.denoise.dock import DenoiseDock
from napari_pogmdm.gui.docks.recordings.dock import RecordingsDock
from napari_pogmdm.gui.docks.sampling.dock import SamplingDock
from napari_pogmdm.gui.layers.view import Arrangement
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.runs.recording_reader import demo_recording
from napari_pogmdm.runs.status import Phase

FILLED = 0.9  # of its cell in one direction: less is a postage stamp


def visible(bench) -> list[str]:
    return sorted(layer.name for layer in bench.viewer.layers if layer.visible)


def run(bench, until) -> None:
    bench.start(Phase.RUNNING)
    until(lambda: bench.session.status.phase is Phase.FINISHED)
    until(lambda: bench.book.get("image") is not None and bench.book.get("image").visible)


def assert_filled(bench) -> None:
    cells = bench.canvas.cells()
    assert cells
    assert {cell.layer.name: cell.filled for cell in cells if not FILLED <= cell.filled <= 1.0} == {}


def test_pictures_fill_their_cells_whatever_was_done_before(small, small_scan, until):
    recordings, mask, denoise = (kind(small.viewer) for kind in (RecordingsDock, SamplingDock, DenoiseDock))
    recordings.open(demo_recording())
    until(lambda: small.player.active and small.book.get("coil magnitude") is not None)
    assert small.canvas.shown == "Recording"
    assert_filled(small)
    small.book.ask("coil magnitude")  # three axes, after which napari fits all layers, hidden ones included
    assert_filled(small)
    small.loader.take(InMemoryScan("once more", (replace(small_scan),)))
    until(lambda: not small.player.active and not small.loader.busy)
    mask.draw_button.click()
    until(lambda: mask.controller.layer.layer is not None and len(small.canvas.cells()) == 3)
    assert_filled(small)
    mask.draw_button.click()
    assert small.canvas.shown == "Image"
    denoise.sigma.setValue(0.1)
    until(lambda: small.canvas.shown == "Denoise" and len(small.canvas.cells()) == 4)
    assert_filled(small)
    small.viewer.reset_view()  # napari's home button
    assert_filled(small)
    for dock in (recordings, mask, denoise):
        dock.deleteLater()


def test_a_picture_of_an_earlier_mask_says_so_beside_one_of_the_new_mask(small, until):
    run(small, until)
    small.canvas.choose("Run", "zero-filled")
    assert small.book.title("image")[1] == ""
    before = small.session.measurement
    small.session.mask_request = MaskRecipe("cartesian", 3.0, 0.1)
    until(lambda: small.session.measurement not in (None, before))
    assert small.book.title("image")[1] == "earlier mask"
    title, remark = small.book.title("zero-filled")
    assert f"R = {small.session.mask.acceleration:.2f}" in title
    assert remark == ""
    until(lambda: any(label.remark == "earlier mask" for label in small.frame.overlay.labels))


def test_titles_say_model_settings_acceleration_and_quality(small, until):
    run(small, until)
    until(lambda: small.frame.overlay.labels and "dB" in small.frame.overlay.labels[0].title)
    (label,) = small.frame.overlay.labels
    for part in ("flf-tc", "own settings", f"R = {small.session.mask.acceleration:.2f}"):
        assert part in label.title


def test_a_recording_is_seen_even_after_the_prior_drew_something(small, until):
    denoise = DenoiseDock(small.viewer)
    denoise.samples.side.setValue(16)
    denoise.samples.levels.setValue(2)
    denoise.samples.play.click()
    until(lambda: not denoise.samples.busy and small.canvas.shown == "Denoise")
    small.loader.open_recording(demo_recording())
    until(lambda: small.player.active)
    until(lambda: visible(small) == [small.book.get("image").name])
    denoise.sigma.setValue(0.1)
    until(lambda: small.canvas.shown == "Denoise" and len(small.canvas.panels()) == 4)
    small.canvas.show("Recording")
    assert visible(small) == [small.book.get("image").name]
    denoise.deleteLater()


def test_layers_of_other_people_stay_theirs(small, until):
    theirs = small.viewer.add_image(np.zeros((9, 9), np.float32), name="theirs")
    small.canvas.settle()
    assert visible(small) == ["theirs", "zero-filled"]
    run(small, until)
    assert not theirs.visible
    small.canvas.show("Image")
    assert theirs.visible
    theirs.visible = False
    small.canvas.show("Run")
    small.canvas.show("Image")
    assert not theirs.visible
    small.canvas.show("Run")
    theirs.visible = True
    small.canvas.settle()
    assert theirs in small.canvas.panels()


def test_every_view_remembers_where_one_looked(small, until):
    camera = small.viewer.scene.camera
    run(small, until)
    camera.zoom = 20.0
    camera.center = (3.0, 4.0)
    small.canvas.show("Image")
    assert camera.zoom != 20.0
    small.canvas.show("Run")
    assert (camera.zoom, tuple(camera.center)[-2:]) == (20.0, (3.0, 4.0))
    small.canvas.fit()
    assert_filled(small)


def test_a_view_is_offered_but_not_shown_when_its_dock_is_chosen(small, until):
    run(small, until)
    small.canvas.offer("Image")
    assert (small.canvas.shown, small.canvas.offered) == ("Run", "Image")
    small.canvas.offer("Compare")  # has nothing to show
    assert small.canvas.offered == ""
    small.canvas.show("Sampling")
    small.canvas.back("Coils")
    assert small.canvas.shown == "Sampling"
    small.canvas.back("Sampling")
    assert small.canvas.shown == "Run"


def test_naparis_own_buttons_change_the_view_that_is_seen(small, until):
    run(small, until)
    small.book.ask("error")
    until(lambda: len(small.canvas.panels()) == 2)
    small.viewer.canvas.grid.enabled = False
    assert small.canvas.view.arrangement is Arrangement.ONE
    assert len(small.canvas.panels()) == 1
    small.viewer.canvas.grid.enabled = True
    assert len(small.canvas.panels()) == 2
    small.book.get("error").visible = False
    small.canvas.settle()
    assert small.canvas.panels() == [small.book.get("image")]
    assert not small.canvas.chosen("error")


@pytest.mark.parametrize("name", ["Sampling", "Coils"])
def test_a_view_makes_what_it_needs(small, until, name):
    small.canvas.show(name)
    until(lambda: all(small.book.get(panel) is not None for panel in small.canvas.view.chosen))
    small.canvas.settle()
    assert len(small.canvas.panels()) == len(small.canvas.view.chosen)


def test_a_larger_window_has_larger_pictures_unless_one_zoomed(small):
    small.canvas.settle()
    small.viewer.canvas.size = (300, 300)
    small.canvas.settle()
    assert_filled(small)
    small.viewer.scene.camera.zoom = 1.0
    small.viewer.canvas.size = (500, 500)
    small.canvas.settle()
    assert small.viewer.scene.camera.zoom == 1.0
