"""A person opens a radial scan, or measures a complete one along a trajectory, and runs to the end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.gui.docks.data.dock import DataDock
from napari_pogmdm.gui.docks.sampling.dock import SamplingDock
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import Choosing
from napari_pogmdm.runs.status import Phase


def run(bench, until) -> None:
    """Run to the end."""
    assert bench.start(Phase.RUNNING)
    until(lambda: bench.heard or bench.session.status.phase is Phase.FINISHED, seconds=120)
    assert not bench.heard, bench.heard[0].text
    assert bench.session.result is not None


def test_the_radial_demo_is_opened_drawn_and_reconstructed(workbench, until):
    session = workbench.session
    session.settings = replace(preset("fast"), iterations=2, choose=Choosing.NONE)
    data, sampling = DataDock(workbench.viewer), SamplingDock(workbench.viewer)
    for dock in (data, sampling):
        workbench.viewer.window.add_dock_widget(dock)
    data.radial_button.click()
    workbench.loader.load_model("flf-tc")
    until(lambda: workbench.heard or (session.measurement is not None and session.prior is not None), seconds=120)
    assert not workbench.heard, workbench.heard[0].text
    assert session.mask is None
    assert session.trajectory.positions.shape == session.acquisition.trajectory.shape
    assert sampling.rule.kind.currentData() == "file"
    assert "samples" in sampling.numbers.text()
    assert not sampling.draw_button.isEnabled(), "there is no grid to draw on"
    assert np.ptp(pixels(sampling.mask_picture)) > 0
    assert np.ptp(pixels(sampling.spread_picture)) > 0
    run(workbench, until)
    image = np.abs(session.result.image)
    assert np.isfinite(image).all()
    assert session.result.record.trajectory["kind"] == "file"


@pytest.mark.parametrize("kind", ["golden-radial", "spiral"])
def test_a_complete_scan_is_measured_along_a_trajectory(small, until, kind: str):
    session, sampling = small.session, SamplingDock(small.viewer)
    before = session.mask
    sampling.rule.readouts.setValue(24)
    sampling.rule.kind.setCurrentIndex(sampling.rule.kind.findData(f"along {kind}"))
    until(lambda: session.trajectory is not None and session.measurement is not None)
    assert session.trajectory.kind == kind
    assert session.mask is None
    assert sampling.rule.form.isRowVisible(sampling.rule.readouts)
    assert not sampling.rule.form.isRowVisible(sampling.rule.acceleration)
    run(small, until)
    image, reference = np.abs(session.result.image), session.reference
    assert np.corrcoef(image.ravel(), reference.ravel())[0, 1] > 0.9
    sampling.rule.kind.setCurrentIndex(sampling.rule.kind.findData("cartesian"))
    until(lambda: session.mask is not None and session.measurement is not None)
    assert session.trajectory is None
    assert sampling.draw_button.isEnabled()
    assert session.mask.kind == before.kind


def pixels(thumbnail) -> np.ndarray:
    """The grey values that a thumbnail shows."""
    shown = thumbnail.grab().toImage()
    return np.array([[shown.pixelColor(x, y).value() for x in range(0, shown.width(), 4)]
                     for y in range(0, shown.height(), 4)])  # fmt: skip
