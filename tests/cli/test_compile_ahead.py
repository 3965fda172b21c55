"""Compiling ahead of what is timed."""

from __future__ import annotations

from numba.core.dispatcher import Dispatcher

import napari_pogmdm as pg
from napari_pogmdm.cli import compile_ahead as ahead
from napari_pogmdm.cli.compile_ahead import compile_ahead


def test_nothing_is_left_to_compile_for_a_run(monkeypatch):
    compile_ahead()
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


def test_a_line_says_so_where_it_takes_a_while(monkeypatch, capsys):
    monkeypatch.setattr(ahead, "_PATIENCE", 0.0)
    compile_ahead()
    assert "Compiling for this computer" in capsys.readouterr().err
    monkeypatch.setattr(ahead, "_PATIENCE", 600.0)
    compile_ahead()
    assert capsys.readouterr().err == ""
