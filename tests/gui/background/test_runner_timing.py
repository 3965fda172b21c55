from __future__ import annotations

import pytest

from napari_pogmdm.gui.background import runner_timing
from napari_pogmdm.gui.background.runner_timing import FRAME_SECONDS, FrameRate, TimeLeft


def test_the_time_left_follows_the_mean_of_substeps_once_a_few_are_known():
    left = TimeLeft()
    left.count(1.0)
    left.count(1.0)
    assert left.of(10) is None
    left.count(4.0)
    assert left.of(10) == pytest.approx(20.0)


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    for name in ("perf_counter", "thread_time"):
        monkeypatch.setattr(runner_timing.time, name, lambda: now[0])
    return now


def test_cheap_pictures_come_at_a_steady_rate(clock):
    rate = FrameRate()
    assert rate.due(whole=False, watched=True)
    for _ in range(2):  # a picture that comes late is made up for by the next
        rate.took(clock[0], cost=0.001, measured=False)
    clock[0] += 0.9 * FRAME_SECONDS
    assert not rate.due(whole=False, watched=True)
    clock[0] += 0.2 * FRAME_SECONDS
    assert rate.due(whole=False, watched=True)


def test_dear_pictures_take_a_small_share_of_the_time_but_never_stop(clock):
    rate = FrameRate()
    for _ in range(2):
        rate.took(clock[0], cost=0.08, measured=False)
    clock[0] += 0.5
    assert not rate.due(whole=False, watched=True)
    clock[0] += 0.6
    assert rate.due(whole=False, watched=True)
    rate.took(clock[0], cost=60.0, measured=True)
    clock[0] += 2.1
    assert rate.numbers_due


def test_a_run_at_full_speed_is_painted_a_tenth_of_its_time_and_no_new_number_is_worth_a_picture(clock):
    rate = FrameRate()
    rate.painting = 0.15
    rate.took(clock[0], cost=0.001, measured=True, watched=False)
    clock[0] += 1.0
    assert rate.numbers_due
    assert rate.due(whole=True, watched=True)
    assert not rate.due(whole=True, watched=False)
    clock[0] += 0.6
    assert rate.due(whole=False, watched=False)
    rate.painting = 0.0
    rate.took(clock[0], cost=0.001, measured=False, watched=False)
    clock[0] += 0.95
    assert not rate.due(whole=True, watched=False)
    clock[0] += 0.1
    assert rate.due(whole=True, watched=False)


def test_numbers_take_their_share_of_what_the_run_computes_where_others_take_the_processor(clock, monkeypatch):
    computed = [5.0]
    monkeypatch.setattr(runner_timing.time, "thread_time", lambda: computed[0])
    rate = FrameRate()
    rate.took_numbers(clock[0], cost=0.03)
    clock[0] += 1.5  # but the run had a fifth of a processor only
    computed[0] += 0.3
    assert not rate.numbers_due
    computed[0] += 0.8
    assert rate.numbers_due
