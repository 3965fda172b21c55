from __future__ import annotations

import csv
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from napari_pogmdm.gui.docks.trace.dock import TraceDock
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.status import Phase

CHAINS = replace(preset("posterior"), choose="none", map_sets=1)


@pytest.fixture
def dock(small) -> TraceDock:
    dock = TraceDock(small.viewer)
    small.viewer.window.add_dock_widget(dock, name="Trace", area="bottom")
    small.viewer.window._qt_window.show()
    return dock


def run(small, until) -> None:
    small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED and small.session.result is not None, 120)


def test_it_draws_and_saves_what_intervals_cover_against_what_they_claim(dock, small, until, tmp_path):
    small.session.settings, small.session.chains = CHAINS, 2
    run(small, until)
    plot = dock.reliability
    until(plot.isVisible)
    claimed, covered = plot.drawn
    np.testing.assert_allclose(claimed, np.arange(5, 100, 5))
    result, reference = small.session.result, small.session.reference
    body = reference > 0.1 * reference.max()
    multiples = np.array([NormalDist().inv_cdf(0.5 + share / 200) for share in claimed])
    unshared = 0.0
    if small.request.measurement.noise_floor:
        unshared = result.noise * np.sqrt(1 - 1 / small.request.measurement.noisy_acceleration)
    total = np.sqrt(result.std[body].astype(float) ** 2 + unshared**2)
    error = np.abs(result.image.astype(float) - reference)[body]
    expected = [100 * np.mean(error <= multiple * total) for multiple in multiples]
    np.testing.assert_allclose(covered, expected, atol=0.2)
    assert np.abs(covered - claimed).max() > 1  # or axes that are swapped would look the same
    ends = plot._diagonal.getOriginalDataset()
    assert [list(axis) for axis in ends] == [[0, 100], [0, 100]]
    assert plot.value_at(51) == f"50 % holds {covered[9]:.0f} %"
    assert plot.title.startswith("68 % holds ")
    dock.save_as(tmp_path / "trace.csv")
    rows = list(csv.DictReader((tmp_path / "trace-reliability.csv").open()))
    np.testing.assert_allclose([float(row["covered_percent"]) for row in rows], covered, rtol=1e-6)
    dock.save_as(tmp_path / "trace.svg")
    with_curve = (tmp_path / "trace.svg").read_text()
    small.session.reference = None
    until(lambda: not plot.isVisible())
    dock.save_as(tmp_path / "without.csv")
    dock.save_as(tmp_path / "without.svg")
    assert "reliability" in with_curve
    assert "reliability" not in (tmp_path / "without.svg").read_text()
    assert not (tmp_path / "without-reliability.csv").exists()
    assert plot.drawn[0].size == 0


@pytest.mark.parametrize(("settings", "chains"), [(CHAINS, 1), (None, 2)], ids=["one chain", "no meaningful spread"])
def test_it_is_left_out_where_there_is_no_calibrated_spread(dock, small, until, settings, chains):
    small.session.settings, small.session.chains = settings or small.session.settings, chains
    run(small, until)
    until(lambda: dock.plots["psnr"].drawn)
    dock._outdate()
    dock._redraw()
    assert not dock.reliability.isVisible()
    assert not dock.reliability.has_values
