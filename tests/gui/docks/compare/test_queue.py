from __future__ import annotations

import csv
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.evaluation import case as contenders
from napari_pogmdm.evaluation.case import CLASSICAL, Contender, Ground, Outcome, obstacle, run_contender
from napari_pogmdm.gui.docks.compare.queue import Comparison, State, Task, save_table, spread_slices, status_text
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.metrics import Metrics
from napari_pogmdm.recon.sampler.presets import preset

ZERO, CG, TV, JOINT, ESPIRIT = CLASSICAL
QUICK = Contender("quick", "pogmdm", 7348, "flf-tc", replace(preset("fast"), iterations=3))


def outcome(psnr: float | None = 30.0) -> Outcome:
    metrics = None if psnr is None else Metrics(psnr, 0.9, 0.01)
    return Outcome(np.zeros((2, 2), np.float32), metrics, 1.5)


@pytest.fixture(scope="module")
def ground(small_scan) -> Ground:
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.3))
    return Ground.of(small_scan, measurement, reference_image(small_scan))


def test_the_shown_slice_comes_first_for_all_and_rows_fill(tmp_path):
    queue = Comparison(shown_slice=4)
    queue.add([ZERO, CG], (4, 1))
    order = []
    while (task := queue.next()) is not None:
        order.append((task.contender.label, task.slice_index))
        assert queue.row_of(task).state is State.RUNNING
        queue.finish(task, outcome(30.0 + task.slice_index))
    assert order == [("zero-filled", 4), ("CG-SENSE", 4), ("zero-filled", 1), ("CG-SENSE", 1)]
    assert [row.state for row in queue.rows] == [State.DONE, State.DONE]
    assert queue.rows[0].outcome.metrics.psnr == 34
    assert queue.rows[0].metrics[1].psnr == 31
    assert queue.fraction == 1
    save_table(tmp_path / "table.csv", queue.rows)
    lines = list(csv.DictReader((tmp_path / "table.csv").open()))
    assert [(line["method"], line["slice"], line["psnr_db"]) for line in lines[:2]] == [
        ("zero-filled", "1", "31"),
        ("zero-filled", "4", "34"),
    ]


def test_progress_counts_the_running_task_in_part():
    queue = Comparison()
    queue.add([ZERO, CG], (0,))
    task = queue.next()
    queue.row_of(task).fraction = 0.5
    assert queue.fraction == pytest.approx(0.25)
    assert status_text(queue.row_of(task)) == "50%"


def test_cancelling_keeps_finished_rows_and_names_the_others():
    queue = Comparison()
    queue.add([ZERO, CG, TV], (0,))
    queue.finish(queue.next(), outcome())
    queue.next()
    queue.cancel()
    assert [row.state for row in queue.rows] == [State.DONE, State.CANCELLED, State.CANCELLED]
    assert queue.next() is None
    assert queue.done == queue.rows[:1]


def test_a_failure_stops_its_own_row_alone():
    queue = Comparison()
    queue.add([ESPIRIT, ZERO], (0, 1))
    queue.fail(queue.next(), "the centre is too small")
    rest = []
    while (task := queue.next()) is not None:
        rest.append(task)
        queue.finish(task, outcome(None))
    assert rest == [Task(ZERO, 0), Task(ZERO, 1)]
    assert queue.rows[0].state is State.FAILED
    assert queue.rows[1].metrics == {}


def test_running_again_replaces_a_row_and_leaves_the_others():
    queue = Comparison()
    queue.add([ZERO, CG], (0,))
    while (task := queue.next()) is not None:
        queue.finish(task, outcome())
    before = queue.rows[0]
    queue.add([CG, TV], (0,))
    assert [row.contender for row in queue.rows] == [ZERO, CG, TV]
    assert queue.rows[0] is before
    assert queue.rows[1].outcome is None


def test_nothing_chosen_and_nothing_to_save_are_told(tmp_path):
    with pytest.raises(InputError, match="tick at least one"):
        Comparison().add([], (0,))
    with pytest.raises(InputError, match="nothing was compared yet"):
        save_table(tmp_path / "table.csv", [])


def test_slices_are_spread_over_the_scan_around_the_shown_one():
    assert spread_slices(1, 9, 3) == (3,)
    assert spread_slices(3, 9, 4) == (4, 1, 7)
    assert sorted(spread_slices(9, 9, 5)) == list(range(9))
    with pytest.raises(InputError, match="slices: 10"):
        spread_slices(10, 9, 0)


@pytest.mark.parametrize("contender", [ZERO, CG, QUICK])
def test_contenders_run_on_the_same_ground_and_are_judged(ground, contender):
    heard: list[float] = []
    found = run_contender(contender, ground, 0, heard.append, lambda: False)
    assert found.image.shape == ground.reference.shape
    assert found.metrics.psnr > 15
    assert heard[-1] == 1
    assert (found.coil_residual is None) == (contender is ZERO)
    if found.coil_residual is not None:
        assert 0 < found.coil_residual < 0.3
        assert found.residual_map.shape == found.image.shape


def test_espirit_runs_and_its_coils_explain_the_scan(ground):
    pytest.importorskip("sigpy")
    found = run_contender(ESPIRIT, ground, 0, lambda done: None, lambda: False)
    assert found.coil_residual < 0.3


def test_without_a_reference_there_is_an_image_and_no_figure(ground):
    found = run_contender(ZERO, Ground(ground.measurement, None, None), 0, lambda done: None, lambda: False)
    assert found.metrics is None
    assert found.image.max() > 0


@pytest.mark.parametrize("contender", [CG, QUICK])
def test_cancelling_is_no_error(ground, contender):
    with pytest.raises(Cancelled):
        run_contender(contender, ground, 0, lambda done: None, lambda: True)


def test_espirit_says_why_it_cannot_run(small_scan, ground, monkeypatch):
    narrow = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.1))
    pytest.importorskip("sigpy")
    assert obstacle(ESPIRIT, ground.measurement) == ""
    assert "too small to calibrate" in obstacle(ESPIRIT, narrow)
    assert obstacle(CG, narrow) == ""
    with pytest.raises(InputError, match=r"ESPIRiT \+ CG: the fully sampled centre"):
        run_contender(ESPIRIT, Ground(narrow, None, None), 0, lambda done: None, lambda: False)
    monkeypatch.setattr(contenders, "find_spec", lambda name: None)
    assert "needs SigPy" in obstacle(ESPIRIT, ground.measurement)


def test_an_undersampled_file_has_no_coil_images(small_scan, ground):
    partial = replace(small_scan, mask=ground.measurement.mask.samples)
    assert Ground.of(partial, ground.measurement, None).coil_images is None
    assert Ground.of(SimpleNamespace(mask=np.ones(1)), ground.measurement, None).coil_images is None
