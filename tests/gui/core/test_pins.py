from __future__ import annotations

import csv

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.core.pin import save_pins
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.runs.status import Phase


def run(bench, until) -> None:
    assert bench.start(Phase.RUNNING)
    until(lambda: bench.session.status.phase is Phase.FINISHED and bench.session.result is not None)
    until(lambda: bench.book.get("image") is not None and "dB" in bench.book.facts("image"))


def test_a_pinned_run_stands_beside_one_of_another_mask_with_its_own_title(small, until):
    pins = small.pins
    assert pins.pin_run() == ""
    run(small, until)
    first, title = small.session.result.image, small.book.facts("image")
    role = pins.pin_run()
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


def test_pins_keep_their_curves_names_and_numbers_and_any_two_are_compared(small, until, tmp_path):
    run(small, until)
    first = small.pins.pin_run()
    points = small.session.trace
    run(small, until)
    second = small.pins.pin_run()
    assert small.session.ghosts == ()  # the curves of a pinned run stay with its pin
    assert [ghost.trace for ghost in small.session.earlier] == [points]
    small.pins.rename(first, "four steps")
    assert small.book.get(first).name == "four steps"
    assert small.book.title(first)[0].startswith("four steps, flf-tc, own settings, R = ")
    with pytest.raises(InputError, match="empty"):
        small.pins.rename(first, " ")
    small.pins.compare([first, second])
    assert small.canvas.shown == "A/B"
    assert small.canvas.panels() == small.book.layers([first, second])
    small.hands.pair.swipe()
    assert small.hands.pair.roles == (first, second)
    save_pins(tmp_path / "pins.csv", small.session.pins)
    rows = list(csv.DictReader((tmp_path / "pins.csv").open()))
    assert [row["name"] for row in rows] == ["four steps", "pinned 2"]
    assert float(rows[0]["psnr_db"]) == pytest.approx(small.session.pins[0].metrics.psnr, rel=1e-5)
    assert rows[0]["mask"] == small.session.mask.describe()
    small.pins.delete(second)
    assert [pin.role for pin in small.session.pins] == [first]
    assert small.book.get(second) is None
    small.viewer.layers.remove(small.book.get(first))
    assert small.session.pins == ()


def test_a_pin_of_another_slice_is_marked_and_comes_back_when_it_is_asked_for(small, until):
    run(small, until)
    role = small.pins.pin_run()
    before = small.session.measurement
    small.loader.open("phantom")
    until(lambda: small.session.measurement not in (None, before))
    small.pins.compare([role])
    assert small.book.get(role) in small.canvas.panels()
    assert small.book.title(role)[1] == "other slice"
    with pytest.raises(InputError, match="select"):
        small.pins.compare([])


def test_a_fork_keeps_the_curves_of_the_other_branch(small, until):
    run(small, until)
    points = small.session.trace
    small.runner.go_to(1)
    until(lambda: small.session.status.behind)
    small.runner.run()
    until(lambda: small.session.ghosts and small.session.status.phase is Phase.FINISHED)
    assert small.session.ghosts[0].trace == points
