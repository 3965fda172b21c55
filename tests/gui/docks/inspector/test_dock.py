"""The Inspector through the real window."""

from __future__ import annotations

import csv
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from napari.utils._proxies import ReadOnlyWrapper
from napari.utils.interactions import mouse_move_callbacks, mouse_press_callbacks, mouse_release_callbacks
from qtpy.QtCore import QPoint, Qt
from qtpy.QtWidgets import QFileDialog, QMenu

from napari_pogmdm.gui.docks.inspector.dock import InspectorDock
from napari_pogmdm.gui.docks.inspector.filter_layers import PULL, RESPONSE
from napari_pogmdm.runs.display import DisplayGeometry
from napari_pogmdm.runs.status import Frame, Phase

FILTERS, POTENTIALS, TIME, PIXEL = range(4)


@pytest.fixture
def open_dock(until):
    """Open the dock of a workbench, in a shown window of a laptop's size, and wait until it has looked at the image."""

    def opened(bench) -> InspectorDock:
        bench.viewer.window._qt_window.resize(1366, 768)
        bench.viewer.window._qt_window.show()
        dock = InspectorDock(bench.viewer)
        bench.viewer.window.add_dock_widget(dock, area="bottom", name="Inspector")
        until(lambda: dock.inspection.views)
        return dock

    return opened


@pytest.fixture
def dock(small, open_dock, until) -> InspectorDock:
    dock = open_dock(small)
    until(lambda: dock.inspection.views[0].name == "flf-tc" and all(dock.inspection.analyses))
    return dock


def turn_to(dock, page, until):
    dock.tabs.bar.setCurrentIndex(page)
    until(lambda: dock.tabs.shown is dock.pages[page] and not dock._draw_timer.isActive())


def click_cell(qtbot, panel, number):
    cells = panel.cells
    left, top = cells.corner(number)
    point = QPoint(int(left + cells.width / 2 + panel.margins[0]), int(top + cells.height / 2 + panel._top))
    qtbot.mouseClick(panel, Qt.MouseButton.LeftButton, pos=point)


def hover(bench, layer, pixel):
    """Move the mouse as napari's canvas tells of it; gives the place in the world."""
    event = mouse(tuple(layer.data_to_world(pixel)), "mouse_move")
    mouse_move_callbacks(bench.viewer, event)
    return event.position


def click(bench, position, drag=False):
    """Press and release, with a move between them for a drag."""
    mouse_press_callbacks(bench.viewer, mouse(position, "mouse_press"))
    if drag:
        mouse_move_callbacks(bench.viewer, mouse(position, "mouse_move", dragging=True))
    mouse_release_callbacks(bench.viewer, mouse(position, "mouse_release"))


def mouse(position, kind, dragging=False):
    facts = {"position": position, "type": kind, "button": 1, "modifiers": (), "is_dragging": dragging}
    return ReadOnlyWrapper(SimpleNamespace(**facts, handled=False, dims_displayed=[0, 1]), exceptions=("handled",))


def test_opened_alone_it_shows_a_model_before_any_scan(workbench, open_dock, until):
    dock = open_dock(workbench)
    until(lambda: workbench.session.prior is not None and dock.inspection.views)
    assert dock.inspection.views[0].prior is workbench.session.prior
    until(lambda: dock.pages[FILTERS].filters[0].total == workbench.session.prior.configuration.filters)
    for page in range(4):
        turn_to(dock, page, until)
    assert "eq. (9)" in dock.tabs.words.text()
    assert workbench.heard == []


def test_clicking_a_filter_shows_its_response_and_its_part_of_the_score(small, dock, qtbot, until):
    panel = dock.pages[FILTERS].filters[0]
    until(lambda: panel.total == 20)
    click_cell(qtbot, panel, 7)
    layers = small.book.get(RESPONSE), small.book.get(PULL)
    analysis = dock.inspection.analyses[0]
    x = torch.from_numpy(analysis.image)
    np.testing.assert_allclose(layers[0].data, small.session.prior.responses(x)[7].numpy(), atol=1e-6)
    np.testing.assert_allclose(
        layers[1].data, small.session.prior.contribution(x, analysis.sigma, 7).numpy(), atol=1e-6
    )
    assert "filter 8" in layers[0].name
    assert layers[0].contrast_limits[0] == -layers[0].contrast_limits[1]
    np.testing.assert_allclose(layers[0].scale, small.book.get("reference").scale)

    qtbot.keyClick(panel, Qt.Key.Key_Right)
    qtbot.keyClick(panel, Qt.Key.Key_Return)
    assert "filter 9" in small.book.get(RESPONSE).name
    assert small.book.get(RESPONSE) is layers[0]
    names = [dock.options.image.itemText(index) for index in range(dock.options.image.count())]
    assert "zero-filled" in names
    assert not any("filter" in name for name in names)

    small.viewer.layers.remove(layers[0])
    dock.options.slider.setValue(dock.options.slider.value() + 20)
    until(lambda: dock.inspection.analyses[0].sigma == dock.inspection.sigma)
    assert small.book.get(RESPONSE) is None
    click_cell(qtbot, panel, 0)
    assert small.book.get(RESPONSE) is not None


def test_the_noise_slider_moves_the_curves_and_switches_filters_off(small, dock, until):
    turn_to(dock, POTENTIALS, until)
    panel = dock.pages[POTENTIALS].potentials[0]
    until(lambda: len(panel.current) == 20)
    before = panel.current.copy()
    dock.options.sigma_box.setValue(0.4)
    until(lambda: panel.sigma == pytest.approx(0.4) and dock.inspection.analyses[0].sigma == pytest.approx(0.4))
    assert dock.options.slider.value() > 200
    assert not np.array_equal(before, panel.current)
    assert panel.marginals is not None
    until(lambda: panel.off.sum() >= 2)
    dock.options.slopes.click()
    until(lambda: panel.slopes and panel.axes[1] < 0 and panel.marginals is None)
    np.testing.assert_allclose(panel.current, -panel.current[:, ::-1], atol=1e-9)
    dock.options.sigma_box.setValue(0.02)
    until(lambda: panel.axes[0] < 0.5)  # as far as responses occur
    dock.options.zoomed.click()
    until(lambda: panel.axes[0] == 0.5)  # as far as there are potentials


def test_a_pixel_under_the_mouse_is_marked_on_every_potential_and_a_click_keeps_it(small, dock, until):
    turn_to(dock, POTENTIALS, until)
    layer, panel = small.book.get("reference"), dock.pages[POTENTIALS].potentials[0]
    hover(small, layer, (20, 13))
    until(lambda: panel.pixel_responses is not None)
    analysis = dock.inspection.analyses[0]
    np.testing.assert_allclose(panel.pixel_responses, analysis.responses[:, 20, 13])
    largest = float(np.abs(panel.pixel_responses).max())  # small responses are not all drawn at zero
    until(lambda: largest < panel.axes[0] <= max(0.02, 1.7 * largest))
    turn_to(dock, PIXEL, until)
    score = float(small.session.prior.score(torch.from_numpy(analysis.image), analysis.sigma)[20, 13])
    assert f"{score:+.2f}" in dock.pages[PIXEL].words.text()

    position = hover(small, layer, (30, 8))
    click(small, position)
    hover(small, layer, (2, 2))
    until(lambda: dock.inspection.pixels[0] is not None and dock.inspection.pixels[0].row == 30)
    assert dock.inspection.pixels[0].column == 8
    until(lambda: [label.mark is not None for label in small.frame.overlay.labels] == [True])
    click(small, position)
    until(lambda: not any(label.mark for label in small.frame.overlay.labels))
    click(small, hover(small, layer, (3, 3)), drag=True)
    hover(small, layer, (4, 5))
    until(lambda: dock.inspection.pixels[0].row == 4)
    hover(small, layer, (-30, 5))
    until(lambda: dock.inspection.pixels[0] is None)


def test_two_models_stand_side_by_side_on_the_same_axes(small, dock, until):
    for beside, count, sentence in (("flf", 20, "need not correspond"), ("sh-1", 10, "10 filters, not 20")):
        dock.options.beside.setCurrentText(beside)
        until(lambda name=beside: len(dock.inspection.views) == 2 and dock.inspection.views[1].name == name)
        until(lambda: all(dock.inspection.analyses))
        turn_to(dock, POTENTIALS, until)
        first, second = dock.pages[POTENTIALS].potentials
        until(lambda number=count, panel=second: panel.isVisible() and panel.total == number)
        assert first.axes == second.axes
        assert sentence in second.caption
        for page in (FILTERS, TIME, PIXEL):
            turn_to(dock, page, until)
    near = dock.pages[TIME].near
    assert near[0].viewRange()[1] == near[1].viewRange()[1]
    turn_to(dock, FILTERS, until)
    _, pages = dock.tabs.shown.position
    assert pages > 1
    dock.tabs.forth.click()
    assert dock.tabs.shown.position[0] == 1
    assert dock.pages[FILTERS].filters[1].cells.count > 0
    dock.options.beside.setCurrentText("nothing")
    until(lambda: len(dock.inspection.views) == 1 and not dock.pages[FILTERS].filters[1].isVisible())


def test_it_follows_a_run_until_the_slider_is_touched(small, dock, until):
    turn_to(dock, POTENTIALS, until)
    small.start(Phase.PAUSED)
    until(
        lambda: dock.inspection.sigma == pytest.approx(small.session.status.sigma) and small.session.frame is not None
    )
    high = dock.inspection.sigma
    small.runner.step(whole_iteration=True)
    until(
        lambda: (
            small.session.status.iteration == 1 and dock.inspection.sigma == pytest.approx(small.session.status.sigma)
        )
    )
    assert dock.inspection.sigma < high
    panel = dock.pages[POTENTIALS].potentials[0]
    until(lambda: panel.sigma == pytest.approx(dock.inspection.sigma))
    until(lambda: dock.analyser.input is not None and dock.analyser.input.noisy)
    dock.options.slider.setValue(10)
    assert not dock.options.follow.isChecked()
    small.runner.step(whole_iteration=True)
    until(lambda: small.session.status.iteration == 2)
    assert dock.inspection.sigma == pytest.approx(dock.options.sigma)


def test_it_follows_a_recorded_run(workbench, open_dock, until):
    dock = open_dock(workbench)
    turn_to(dock, POTENTIALS, until)
    frame = Frame({"image": np.random.default_rng(0).random((30, 20), dtype=np.float32)}, None)
    workbench.player.begin(DisplayGeometry((30, 20), (1.0, 1.0), 2.0))
    workbench.player.show_moment(frame, (), replace(workbench.session.status, sigma=0.21))
    until(lambda: dock.inspection.sigma == pytest.approx(0.21) and all(dock.inspection.analyses))
    until(lambda: dock.pages[POTENTIALS].potentials[0].sigma == pytest.approx(0.21))
    until(lambda: dock.inspection.analyses[0].image.shape == (30, 20))
    np.testing.assert_allclose(dock.inspection.analyses[0].image, frame.arrays["image"] / 2.0)


def test_nothing_is_computed_while_nobody_looks(small, dock, until):
    turn_to(dock, POTENTIALS, until)
    panel = dock.pages[POTENTIALS].potentials[0]
    until(lambda: panel.sigma == dock.inspection.sigma and dock.inspection.analyses[0].sigma == dock.inspection.sigma)
    shell = dock.parent()
    shell.hide()
    sigma, analysis = panel.sigma, dock.inspection.analyses
    dock.options.sigma_box.setValue(0.33)
    until(lambda: not dock._draw_timer.isActive() and not dock.analyser._timer.isActive())
    assert panel.sigma == sigma
    assert dock.inspection.analyses is analysis
    assert not dock.analyser.busy
    shell.show()
    until(lambda: panel.sigma == pytest.approx(0.33) and dock.inspection.analyses[0].sigma == pytest.approx(0.33))


def test_plots_are_saved_and_bad_endings_and_layers_get_one_sentence(small, dock, tmp_path, until, monkeypatch):
    for page, count in ((FILTERS, 1), (POTENTIALS, 1), (TIME, 4)):
        turn_to(dock, page, until)
        offered = dock.tabs.shown.exports(dock.inspection)
        assert len(offered) == count
        for number, (_, saver) in enumerate(offered):
            for ending in ("png", "svg", "csv"):
                path = tmp_path / f"{page}-{number}.{ending}"
                saver(path)
                assert path.stat().st_size > 200
    rows = list(csv.DictReader((tmp_path / "0-0.csv").open()))
    taps = small.session.prior.filters
    assert len(rows) == taps.numel()
    assert float(rows[26]["tap"]) == pytest.approx(float(taps[1, 0, 1]), rel=1e-6)
    shown = []
    monkeypatch.setattr(QMenu, "popup", lambda menu, *place: shown.append([action.text() for action in menu.actions()]))
    dock.options.saving.click()
    assert any("time conditioning of flf-tc" in text for text in shown[0])

    path = tmp_path / "plot.bmp"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: (str(path), ""))
    dock.save(*dock.tabs.shown.exports(dock.inspection)[0])
    assert "choose one of these endings" in small.heard[-1].text
    small.viewer.add_image(np.zeros((20, 20, 3)), name="photo", rgb=True)
    dock.options.image.setCurrentText("photo")
    until(lambda: "not a grey image" in small.heard[-1].text)
    small.viewer.add_image(np.random.default_rng(0).random((3, 30, 20)), name="stack")
    dock.options.image.setCurrentText("stack")
    until(lambda: all(dock.inspection.analyses) and dock.inspection.analyses[0].image.shape == (30, 20))
    small.viewer.layers.remove("stack")
    until(
        lambda: (
            dock.options.image.currentText() == "current image" and dock.inspection.analyses[0].image.shape != (30, 20)
        )
    )


def test_the_theme_and_a_narrow_place_are_followed(small, dock, until):
    small.viewer.theme = "light"
    turn_to(dock, TIME, until)
    assert dock.pages[POTENTIALS].potentials[0].colour("background").lightness() > 128
    shell = dock.parent()
    shell.setFloating(True)
    shell.resize(340, 600)
    until(lambda: not dock.tabs.wide and dock.widget().minimumSizeHint().width() <= 340)
    shell.setFloating(False)
    until(lambda: dock.tabs.wide and dock.widget().minimumSizeHint().height() <= 200)


def test_a_closed_dock_lets_go_of_the_viewer(small, dock, until, qtbot):
    callbacks = len(small.viewer.mouse_move_callbacks)
    workers = dock._models._thread, dock.analyser._worker._thread
    small.viewer.window.remove_dock_widget(dock.parent())
    dock.deleteLater()
    until(lambda: len(small.viewer.mouse_move_callbacks) == callbacks - 1)
    until(lambda: not any(thread.is_alive() for thread in workers))
    small.session.prior = small.session.prior
    small.viewer.add_image(np.zeros((10, 10)))
    small.viewer.theme = "light"
