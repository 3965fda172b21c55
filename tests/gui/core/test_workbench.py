from __future__ import annotations

import numpy as np

from napari_pogmdm.data.acquisition import InMemoryScan
from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.runs.status import Phase


def test_a_viewer_has_one_workbench(workbench):
    assert Workbench.of(workbench.viewer) is workbench


def test_a_run_shows_its_pictures_and_ends_with_a_result(small, until):
    small.book.ask("error")
    assert small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED)
    assert small.session.result.record.steps == 4
    assert small.session.trace[-1].iteration == 4
    np.testing.assert_allclose(small.book.get("image").data, small.session.result.image, rtol=1e-5)
    assert small.book.get("error").data.max() > 0


def test_layers_are_updated_in_place(small, until):
    small.start(Phase.PAUSED)
    until(lambda: small.book.get("image") is not None)
    layer, buffer = small.book.get("image"), small.book.get("image").data
    before = buffer.copy()
    small.runner.step(whole_iteration=True)
    until(lambda: small.session.status.iteration == 1)
    assert small.book.get("image") is layer
    assert layer.data is buffer
    assert not np.array_equal(buffer, before)


def test_a_deleted_layer_comes_back_only_when_asked_for(small, until):
    small.start(Phase.PAUSED)
    until(lambda: small.book.get("image") is not None)
    small.viewer.layers.remove(small.book.get("image"))
    small.runner.step(whole_iteration=True)
    until(lambda: small.session.status.iteration == 1)
    assert small.book.get("image") is None
    small.book.ask("image")
    until(lambda: small.book.get("image") is not None)


def test_running_without_a_scan_says_what_is_missing(workbench):
    assert not workbench.start(Phase.RUNNING)
    assert [notice.text for notice in workbench.heard] == ["sampler: open a scan first."]


def test_a_scan_of_another_size_renews_the_layers_while_they_are_drawn(small, until):
    small.viewer.window._qt_window.show()
    small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED)
    hidden = small.book.get("reference")
    before = small.session.measurement
    scan = simulate_scan(shepp_logan((36, 32)), coils=4, noise=0.005)
    small.loader.take(InMemoryScan("other", (scan,)))
    until(lambda: small.session.measurement not in (None, before))
    assert small.book.get("reference") is hidden
    assert hidden.data.shape == (36, 32)
    assert small.book.get("image") is None
    small.start(Phase.RUNNING)
    until(lambda: small.book.get("image") is not None and small.book.get("image").data.shape == (36, 32))
    until(lambda: small.session.status.phase is Phase.FINISHED)
    assert not small.heard
