from __future__ import annotations

import numpy as np

from napari_pogmdm.gui.docks.sampler.pins import Pins
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.runs.status import Phase


def run(bench, until) -> None:
    assert bench.start(Phase.RUNNING)
    until(lambda: bench.session.status.phase is Phase.FINISHED and bench.session.result is not None)
    until(lambda: bench.book.get("image") is not None and "dB" in bench.book.facts("image"))


def test_a_pinned_run_stands_beside_one_of_another_mask_with_its_own_title(small, until):
    pins = Pins(small)
    assert pins.pin() == ""
    run(small, until)
    first, title = small.session.result.image, small.book.facts("image")
    role = pins.pin()
    before = small.session.measurement
    small.session.mask_request = MaskRecipe("cartesian", 3.0, 0.1)
    until(lambda: small.session.measurement not in (None, before))
    run(small, until)
    assert small.canvas.panels() == [small.book.get("image"), small.book.get(role)]
    np.testing.assert_allclose(small.book.get(role).data, first, rtol=1e-5)
    assert small.book.title(role) == (f"{role}, {title}", "")
    assert f"R = {small.session.mask.acceleration:.2f}" in small.book.title("image")[0]
    assert f"R = {small.session.mask.acceleration:.2f}" not in title
    small.book.get("image").contrast_limits = (0.0, 0.25)
    assert list(small.book.get(role).contrast_limits) == [0.0, 0.25]
    small.viewer.layers.remove(small.book.get(role))
    small.canvas.settle()
    assert small.canvas.panels() == [small.book.get("image")]


def test_an_earlier_run_stays_in_the_trace_until_another_scan_comes(small, until):
    run(small, until)
    points, label = small.session.trace, small.book.facts("image")
    run(small, until)
    (ghost,) = small.session.ghosts
    assert ghost.trace == points
    assert ghost.label == label
    small.session.acquisition = None
    assert small.session.ghosts == ()
