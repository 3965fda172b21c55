"""The Denoise dock, used as a person uses it."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QTextBrowser

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.gui.docks.denoise.dock import DenoiseDock


@pytest.fixture
def dock(workbench) -> DenoiseDock:
    made = DenoiseDock(workbench.viewer)
    workbench.viewer.window.add_dock_widget(made, name="Denoise")
    return made


@pytest.fixture
def picture(workbench):
    """An image layer that does not lie at the origin, in units far from 1."""
    data = 300 * np.abs(shepp_logan((48, 40))).astype(np.float32)
    return workbench.viewer.add_image(data, name="picture", scale=(2, 2), translate=(5, 7))


def layer(workbench, start: str):
    return next((one for one in workbench.viewer.layers if one.name.startswith(start)), None)


def test_moving_the_slider_denoises_beside_the_image(workbench, dock, picture, until, qtbot):
    assert dock.image.currentText() == "picture"
    dock.slider.setFocus()
    qtbot.keyClick(dock.slider, Qt.Key.Key_PageUp)
    qtbot.keyClick(dock.slider, Qt.Key.Key_PageUp)
    assert dock.sigma.value() == pytest.approx(0.1)
    until(lambda: "PSNR" in dock.answer.text() and not dock.busy)
    noisy, estimate, score = (layer(workbench, name) for name in ("noisy", "denoised", "score"))
    clean = picture.data / picture.data.max()
    assert ((estimate.data - clean) ** 2).mean() < 0.5 * ((noisy.data - clean) ** 2).mean()
    np.testing.assert_allclose(estimate.data, noisy.data + 0.1**2 * score.data, atol=1e-5)
    assert score.contrast_limits[0] == -score.contrast_limits[1]
    assert tuple(noisy.scale) == (2, 2)
    assert tuple(noisy.translate) == (5, 7)
    assert "divided by" in dock.answer.text()
    assert dock.side_by_side.isChecked()
    assert [one.name for one in workbench.viewer.layers if one.visible] == [
        "picture",
        noisy.name,
        estimate.name,
        score.name,
    ]

    buffer = noisy.data
    dock.sigma.setValue(0.2)
    for step in range(200, 300, 5):  # faster than anything can be denoised: the last one must win
        dock.slider.setValue(step)
    until(lambda: not dock.busy)
    assert layer(workbench, "noisy").data is buffer
    assert (buffer - clean).std() == pytest.approx(0.295, rel=0.05)

    dock.side_by_side.click()
    assert [one.name for one in workbench.viewer.layers if one.visible] == ["picture"]
    assert not workbench.viewer.canvas.grid.enabled
    assert not workbench.heard


def test_more_steps_denoise_again_and_say_so(workbench, dock, picture, until, qtbot):
    dock.sigma.setValue(0.1)
    until(lambda: "one step" in dock.answer.text() and not dock.busy)
    noisy, estimate = layer(workbench, "noisy"), layer(workbench, "denoised")
    before, once = noisy.data.copy(), estimate.data.copy()
    until(lambda: any(label.title.startswith("denoised, E[x₀|xₜ], ") for label in workbench.frame.overlay.labels))
    dock.steps.setFocus()
    qtbot.keyClick(dock.steps, Qt.Key.Key_Up)
    assert dock.steps.value() == 2
    dock.steps.selectAll()
    qtbot.keyClicks(dock.steps, "8")
    until(lambda: "8 steps" in dock.answer.text() and not dock.busy)
    until(lambda: any(label.title.startswith("denoised, 8 steps, ") for label in workbench.frame.overlay.labels))
    np.testing.assert_array_equal(noisy.data, before)
    clean = picture.data / picture.data.max()
    assert ((estimate.data - clean) ** 2).mean() < 0.9 * ((once - clean) ** 2).mean()
    assert not workbench.heard


def test_a_deleted_layer_stays_away_and_a_hidden_one_hidden(workbench, dock, picture, until):
    dock.sigma.setValue(0.1)
    until(lambda: layer(workbench, "score") is not None)
    workbench.viewer.layers.remove(layer(workbench, "score"))
    layer(workbench, "noisy").visible = False
    dock.model.setCurrentIndex(dock.model.findData("flf"))
    dock.seed.setValue(3)
    until(lambda: not dock.busy)
    assert not layer(workbench, "noisy").visible
    assert layer(workbench, "score") is None
    dock.side_by_side.click()
    dock.side_by_side.click()
    until(lambda: layer(workbench, "score") is not None)


def test_models_and_images_are_offered_as_they_come(workbench, dock, until):
    assert "no 2-D image" in dock.answer.text()
    dock.side_by_side.click()
    assert "nothing was denoised yet" in workbench.heard[-1].text
    assert not dock.side_by_side.isChecked()
    workbench.viewer.add_image(np.zeros((3, 8, 8)), name="stack")
    workbench.viewer.add_image(np.zeros((12, 12)), name="nothing")
    assert [dock.image.itemText(number) for number in range(dock.image.count())] == ["nothing"]
    dock.sigma.setValue(0.1)
    until(lambda: any("nothing: is zero everywhere" in notice.text for notice in workbench.heard))
    workbench.loader.load_model("sh-1")
    until(lambda: dock.model.source == "sh-1")


def test_the_prior_draws_until_it_is_done_or_cancelled(workbench, dock, until):
    samples = dock.samples
    samples.side.setValue(32)
    samples.levels.setValue(3)
    samples.play.click()
    until(lambda: not samples.busy)
    assert "step 15 of 15" in samples.progress.format()
    drawn = layer(workbench, "drawn by the prior, E")
    assert drawn.data.shape == (32, 32)
    assert drawn.data.mean() == pytest.approx(0.4, abs=0.01)
    assert dock.image.findData(drawn) < 0
    samples.back.click()
    assert not workbench.viewer.canvas.grid.enabled

    samples.levels.setValue(2000)
    samples.play.click()
    assert samples.play.text() == "&Cancel"
    until(lambda: samples.progress.value() > 5)
    samples.play.click()
    assert not samples.busy
    assert samples.progress.format().startswith("stopped at step")
    stopped = layer(workbench, "drawn by the prior, x").data.copy()
    samples.levels.setValue(1)
    samples.seed.setValue(1)
    samples.play.click()
    until(lambda: not samples.busy)
    assert "step 5 of 5" in samples.progress.format()
    assert not np.array_equal(stopped, layer(workbench, "drawn by the prior, x").data)


def test_a_closed_dock_hears_nothing_and_its_page_opens(workbench, dock, until, qtbot):
    link = dock.column.itemAt(0).widget()
    assert "More" in link.text()
    link.linkActivated.emit("denoise")
    page = link.findChild(QTextBrowser)
    assert "Tweedie" in page.toPlainText()
    dock.sigma.setValue(0.2)
    workbench.viewer.window.remove_dock_widget(dock)
    dock.deleteLater()
    del dock, link, page
    qtbot.wait(1)
    gc.collect()
    workbench.viewer.add_image(np.ones((9, 9)))
    workbench.loader.load_model("flf")
    until(lambda: workbench.session.prior is not None)


def test_another_model_denoises_nothing_that_nobody_asked_for(small, until):
    dock = DenoiseDock(small.viewer)
    small.viewer.window.add_dock_widget(dock, name="Denoise")
    small.loader.load_model("flf")
    until(lambda: small.session.prior.name == "flf" and dock.model.source == "flf")
    assert not dock.busy
    assert layer(small, "noisy") is None
