"""Times that users send."""

from __future__ import annotations

from numba.core.dispatcher import Dispatcher

import napari_pogmdm as pg
from napari_pogmdm.evaluation import speed
from napari_pogmdm.evaluation.speed import bench_scan, compile_ahead, time_presets


def test_a_run_that_ends_while_it_is_timed_begins_again():
    found = {one.preset: one for one in time_presets(bench_scan(2, "cpu", 32), 20)}
    assert found["fast"].iterations <= 20
    assert all(one.milliseconds > 0 for one in found.values())


def test_nothing_is_left_to_compile_for_a_run(monkeypatch):
    told: list[str] = []
    compile_ahead(told.append)
    later: list[str] = []
    before = Dispatcher.compile
    monkeypatch.setattr(
        Dispatcher, "compile", lambda self, kind: (later.append(self.py_func.__name__), before(self, kind))[1]
    )
    scan = pg.phantom_scan((40, 36), coils=3)[0]
    measurement = pg.measure(scan, pg.make_mask("cartesian", scan.shape, 2))
    for options in ({}, {"model": "sh-1"}, {"preset": "paper"}):
        pg.reconstruct(measurement, choose="none", stop_after=5, **options)
    pg.reconstruct(measurement, "joint-tv", steps=2)
    assert later == []


def test_a_line_says_so_where_it_takes_a_while(monkeypatch):
    told: list[str] = []
    monkeypatch.setattr(speed, "_PATIENCE", 600.0)
    compile_ahead(told.append)
    assert told == []
    monkeypatch.setattr(speed, "_PATIENCE", 0.0)
    compile_ahead(told.append)
    assert "Compiling for this computer" in told[0]
