from __future__ import annotations

from dataclasses import replace

from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.runs.status import TracePoint

FIRST = TracePoint(0, 0, 0, 1.0, 20.0, 0.5, 0.1, 0.1, 1.0, (1.0, 1.0))


def points(*iterations: int, psnr: float = 20.0) -> tuple[TracePoint, ...]:
    return tuple(replace(FIRST, iteration=iteration, psnr=psnr) for iteration in iterations)


def test_a_moment_that_is_measured_again_counts_once():
    session = Session()
    session.add_points(points(1, 2, 3))
    session.add_points(points(2, 4, psnr=30.0))
    assert [(point.iteration, point.psnr) for point in session.trace] == [(1, 20.0), (2, 30.0), (4, 30.0)]


def test_nothing_new_changes_nothing():
    session = Session()
    told = []
    session.events.trace.connect(lambda: told.append(1))
    session.add_points(())
    assert not told


def test_a_fork_forgets_what_came_after_it():
    session = Session()
    session.add_points(points(1, 2, 3))
    session.forget_after((0, 2, 0))
    assert [point.iteration for point in session.trace] == [1, 2]


def test_it_says_what_is_missing():
    session = Session()
    assert session.missing == "open a scan first"
    session.acquisition = object()
    assert session.missing == "the mask is still being applied"
    session.measurement = object()
    assert session.missing.startswith("no model is loaded")
    session.prior = object()
    assert session.missing == ""
