"""Times that users send."""

from __future__ import annotations

from napari_pogmdm.evaluation.speed import bench_scan, time_presets


def test_a_run_that_ends_while_it_is_timed_begins_again():
    found = {speed.preset: speed for speed in time_presets(bench_scan(2, "cpu", 32), 20)}
    assert found["fast"].iterations <= 20
    assert all(speed.milliseconds > 0 for speed in found.values())
