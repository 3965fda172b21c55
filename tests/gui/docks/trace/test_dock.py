from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from qtpy.QtWidgets import QFileDialog

from napari_pogmdm.gui.docks.trace.dock import TraceDock
from napari_pogmdm.gui.widgets.plots import curve_colours
from napari_pogmdm.recon.sampler.algorithms.by_name import noise_schedule
from napari_pogmdm.runs.status import Phase


@pytest.fixture
def dock(small) -> TraceDock:
    dock = TraceDock(small.viewer)
    small.viewer.window.add_dock_widget(dock, name="Trace", area="bottom")
    small.viewer.window._qt_window.show()
    return dock


def test_it_says_what_to_do_and_then_follows_a_run(dock, small, until, qtbot):
    assert dock.pages.currentIndex() == 0
    assert "Run the sampler" in dock.empty.text()
    small.session.chains = 2
    small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED)
    assert {point.chain for point in small.session.trace if point.iteration == 1} == {0, 1}  # where all curves begin
    psnr = dock.plots["psnr"]
    until(lambda: set(psnr.drawn) == {0, 1} and psnr.drawn[1][0][-1] == 4.0)
    last = small.session.trace[-1]
    assert psnr.drawn[1][1][0][-1] == last.psnr
    assert dock.schedule.marked == pytest.approx((4.0, last.sigma))
    assert [curve[-1] for curve in dock.plots["coil_range"].drawn[1][1]] == list(last.coil_range)
    assert not dock.plots["step_size"].isVisible()
    assert "chain 2" in dock.words.text()
    assert psnr.value_at(3.9) == f"PSNR {last.psnr:.4g} at 4, ch. 2"
    assert dock.schedule.value_at(-5) == f"sigma {noise_schedule(small.session.settings)[0]:.4g} at 0"
    small.runner.go_to(1)
    until(lambda: dock.schedule.marked[0] == 1.0)
    assert len(psnr.drawn[0][0]) > 1
    plotted = dock.widget().minimumSizeHint().height()
    small.reset()
    until(lambda: dock.pages.currentIndex() == 0)
    assert dock.widget().minimumSizeHint().height() < 20 < plotted, "an empty dock asks for no room of plots"


def test_curves_are_saved_as_table_picture_and_drawing(dock, small, until, tmp_path, monkeypatch):
    small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED and dock.pages.currentIndex() == 1)
    for kind in ("csv", "png", "svg"):
        path = tmp_path / f"trace.{kind}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, path=path: (str(path), ""))
        dock.save.click()
        assert path.stat().st_size > 100
    rows = list(csv.DictReader((tmp_path / "trace.csv").open()))
    assert len(rows) == len(small.session.trace)
    assert {row["chain"] for row in rows} == {"1"}
    assert float(rows[-1]["residual"]) > 0
    assert math.isclose(float(rows[-1]["psnr"]), small.session.trace[-1].psnr, rel_tol=1e-6)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "trace.doc"), ""))
    dock.save.click()
    assert [notice.text for notice in small.heard] == [
        "trace.doc: curves are saved as .csv, .png or .svg; choose one of these endings."
    ]


def test_it_follows_the_theme_and_draws_only_when_seen(dock, small, until):
    small.start(Phase.PAUSED)
    until(lambda: small.session.trace)
    psnr = dock.plots["psnr"]
    until(lambda: psnr.drawn)
    dark = curve_colours(small.viewer)
    small.viewer.theme = "light"
    until(lambda: psnr._colours == curve_colours(small.viewer) != dark)
    dock.parent().hide()
    points = len(psnr.drawn[0][0])
    small.runner.step(whole_iteration=True)
    until(lambda: small.session.status.iteration == 1)
    dock._redraw()
    assert len(psnr.drawn[0][0]) == points
    dock.parent().show()
    until(lambda: len(psnr.drawn[0][0]) > points)


def test_curves_without_a_reference_leave_out_what_needs_one(dock, small, until):
    small.session.reference = None
    small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED and dock.plots["misfit"].drawn)
    assert not dock.plots["psnr"].isVisible()
    until(lambda: dock.plots["misfit"].isVisible())
    assert np.isfinite(dock.plots["misfit"].drawn[0][1][0]).all()
