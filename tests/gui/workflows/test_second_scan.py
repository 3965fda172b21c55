"""What becomes of layers and runs when another scan, slice or mask takes the place of the first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from qtpy.QtCore import QPoint, QPointF, Qt
from qtpy.QtGui import QOpenGLContext, QWheelEvent
from qtpy.QtWidgets import QApplication

from napari_pogmdm.data.acquisition import InMemoryScan
from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.gui.docks.sampler.dock import SamplerDock
from napari_pogmdm.gui.docks.sampling.dock import SamplingDock
from napari_pogmdm.recon.sampler.settings import ALIKE
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.runs.status import Phase


@pytest.fixture
def docks(small, qtbot):
    made = SamplingDock(small.viewer), SamplerDock(small.viewer)
    for dock in made:
        small.viewer.window.add_dock_widget(dock, name=dock.heading, area="right")
    with qtbot.waitExposed(small.viewer.window._qt_window):
        small.viewer.show()
    return made


def another(size=(40, 56), mask=None):
    scan = simulate_scan(shepp_logan(size), coils=4, noise=0.01)
    return InMemoryScan("another", (replace(scan, mask=mask),))


def open_another(bench, until, scan):
    before = bench.session.measurement
    bench.loader.take(scan)
    until(lambda: bench.session.measurement not in (None, before))


def test_layers_that_drawing_left_hidden_survive_scans_of_other_sizes(docks, small, until, qtbot):
    mask, _ = docks
    mask.draw_button.click()
    until(lambda: mask.controller.layer.layer is not None)
    qtbot.wait(300)
    mask.draw_button.click()
    for size in ((40, 56), (48, 48), (64, 32), (40, 56)):
        open_another(small, until, another(size))
        qtbot.wait(200)
        hidden = [small.book.get(role) for role in ("k-space", "point spread")]
        assert all(layer.data.shape == size and not layer.visible for layer in hidden)


def test_layers_are_deleted_in_the_context_they_were_drawn_in(docks, small, qtbot):
    """Anywhere else, deleting them ends the process when the next picture is drawn."""
    canvas = small.viewer.window._qt_viewer.canvas.native
    qtbot.wait(200)
    canvas.doneCurrent()
    found = []
    small.viewer.layers.events.removed.connect(lambda event: found.append(QOpenGLContext.currentContext()))
    small.viewer.layers.remove(small.book.get("zero-filled"))
    assert found == [canvas.context()]


def test_drawing_beside_coil_images_shows_all_it_needs(docks, small, until):
    mask, _ = docks
    small.views.ask("coil images", True)
    until(lambda: small.book.get("coil images") is not None)
    mask.draw_button.click()
    until(lambda: mask.controller.layer.layer is not None)
    mask.draw_button.click()
    assert not small.heard


def test_drawing_uncovers_the_image_that_the_mask_changes(docks, small, until):
    mask, sampler = docks
    sampler.buttons.iteration.click()
    until(lambda: small.session.status.phase is Phase.PAUSED and small.book.get("image") is not None)
    mask.draw_button.click()
    assert not small.book.get("image").visible
    assert small.book.get("zero-filled").visible
    mask.draw_button.click()
    assert small.book.get("image").visible


def test_another_scan_stops_a_run_and_dates_its_pictures(docks, small, until):
    _, sampler = docks
    small.session.settings = replace(small.session.settings, iterations=5000)
    sampler.buttons.run.click()
    until(lambda: small.session.status.iteration > 2)
    open_another(small, until, another((48, 40)))
    until(lambda: small.session.status.phase is Phase.STOPPED)
    assert [notice.text for notice in small.heard if "stopped" in notice.text]
    image = small.book.get("image")
    assert image is None or image.name.endswith("earlier run")
    assert sampler.save.isEnabled(), "what was computed can still be saved"
    assert sampler.buttons.substep.isEnabled()
    sampler.buttons.substep.click()
    until(lambda: small.request.measurement is small.session.measurement)
    until(lambda: small.session.status.phase is Phase.PAUSED)


def test_a_finished_run_of_another_mask_can_be_stepped_anew(docks, small, until):
    _, sampler = docks
    small.session.settings = replace(small.session.settings, iterations=2)
    sampler.buttons.run.click()
    until(lambda: small.session.status.phase is Phase.FINISHED)
    assert not sampler.buttons.substep.isEnabled()
    before = small.session.measurement
    small.session.mask_request = MaskRecipe("cartesian", 3.0, 0.2)
    until(lambda: small.session.measurement not in (None, before))
    sampler.buttons.substep.click()
    until(lambda: small.request.measurement is small.session.measurement)


def test_a_scan_that_lacks_samples_keeps_its_own_mask(docks, small, until):
    small.session.mask_request = MaskRecipe("radial", 4.0)
    until(lambda: small.session.mask is not None and small.session.mask.kind == "radial")
    own = np.zeros((40, 56), dtype=bool)
    own[:, ::2] = True
    own[:, 24:32] = True
    open_another(small, until, another(mask=own))
    np.testing.assert_array_equal(small.session.mask.samples, own)


def test_what_is_asked_for_comes_to_the_top(small, until):
    small.book.ask("reference")
    assert small.viewer.layers.index(small.book.get("reference")) > small.viewer.layers.index(
        small.book.get("zero-filled")
    )


def test_hidden_coil_images_stay_hidden(small, until):
    small.views.ask("coil images", True)
    until(lambda: small.book.get("coil images") is not None)
    small.views.ask("coil images", False)
    small.views.show_part("phase")
    until(lambda: small.book.get("coil images").name == "coil images, phase")
    assert not small.book.get("coil images").visible
    assert small.book.get("coil images").colormap.name == "twilight_shifted"
    open_another(small, until, another())
    until(lambda: small.book.get("coil images").data.shape[-2:] == (40, 56))
    assert not small.book.get("coil images").visible


def test_chains_that_cannot_differ_are_told_of(docks, small, until):
    small.session.settings = replace(small.session.settings, iterations=2, injected_noise=0.0)
    small.session.chains = 2
    assert docks[1].presets.chains.value() == 2
    docks[1].buttons.run.click()
    until(lambda: small.session.status.phase is Phase.FINISHED)
    assert [notice.text for notice in small.heard] == [ALIKE]


def test_scrolling_over_a_field_changes_nothing_in_it(docks, small):
    mask, sampler = docks
    for field in (sampler.presets.preset, mask.rule.kind):
        before = field.currentIndex()
        place = QPointF(field.rect().center())
        event = QWheelEvent(
            place,
            QPointF(field.mapToGlobal(field.rect().center())),
            QPoint(),
            QPoint(0, -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(field, event)
        assert field.currentIndex() == before


def test_a_scan_that_is_in_no_file_cannot_be_put_into_a_command(docks, small, until):
    open_another(small, until, another())
    docks[1].copy_command.click()
    assert [notice.text for notice in small.heard] == [
        f"sampler: {small.session.acquisition.source} is in no file, so no command repeats it; save the result."
    ]
