"""Several threads, or one that waits for nobody."""

from __future__ import annotations

import pytest

from napari_pogmdm.runtime import pace
from napari_pogmdm.runtime.pace import Pace


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(pace.time, "perf_counter", lambda: now[0])
    return now


@pytest.mark.usefixtures("clock")
def test_threads_that_get_their_processors_go_on():
    found = Pace()
    for _ in range(100):
        found.note(work=0.0019, passed=0.001)
        assert found.several()


def test_threads_that_wait_for_each_other_stop_for_a_while_and_are_tried_again(clock):
    found = Pace()
    found.note(work=0.1, passed=0.1)
    assert found.several()  # too little to say anything
    found.note(work=0.03, passed=0.03)
    assert not found.several()
    clock[0] += 0.21
    assert found.several()


@pytest.mark.usefixtures("clock")
def test_a_picture_that_is_painted_ten_times_a_second_does_not_stop_the_threads():
    found = Pace()
    for _ in range(20):
        for millisecond in range(100):
            painting = millisecond < 30  # takes one of two processors, or half of both
            found.note(work=0.001 if painting else 0.002, passed=0.001)
            assert found.several()


def test_a_busy_machine_is_tried_for_a_moment_only(clock):
    found = Pace()
    found.note(work=0.13, passed=0.13)
    clock[0] += 0.21
    assert found.several()
    found.note(work=0.011, passed=0.011)
    assert not found.several()


def test_the_longer_a_machine_stays_busy_the_more_seldom_it_is_tried_and_a_quiet_one_is_found_soon(clock):
    found, pauses = Pace(), []
    for turn in range(6):
        begun = clock[0]
        trial = 0.012 if turn else 0.13
        found.note(work=trial, passed=trial)
        while not found.several():
            clock[0] += 0.05
        pauses.append(clock[0] - begun)
    assert pauses == sorted(pauses)
    assert pauses[0] < 0.3
    assert 2.9 < pauses[-1] < 3.1
    found.note(work=0.019, passed=0.01)
    found.note(work=0.12, passed=0.13)
    clock[0] += 0.25
    assert found.several()
