from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.tuning import Interval, Trial, TuningCase, golden_section, tune
from napari_pogmdm.runtime.pool.connect import open_pool


@pytest.mark.parametrize("best", [0.02, 0.3, 4.0])
def test_golden_section_closes_in_on_the_peak(best):
    asked: list[float] = []

    def score(value: float) -> float:
        asked.append(value)
        return -abs(float(np.log(value / best)))

    found = golden_section(score, Interval(0.01, 10, evaluations=12))
    assert len(asked) == 12
    assert found == pytest.approx(best, rel=0.06)
    assert min(asked) > 0.01
    assert max(asked) < 10


def test_odd_intervals_are_refused():
    for low, high, evaluations in ((2, 1, 8), (0, 1, 8), (1, float("inf"), 8), (1, 2, 1)):
        with pytest.raises(InputError, match="search"):
            Interval(low, high, evaluations)


@pytest.mark.slow
def test_cases_on_a_cluster_choose_the_same(request_of, scheduler):
    request = request_of()
    cases = [TuningCase(name, request.measurement, request.reference) for name in ("first", "second")]
    vary = {"prior_weight": [0.2, 0.6], "coil_smoothing": Interval(0.5, 2, evaluations=2)}
    told: list[Trial] = []
    quick = replace(request.settings, iterations=2)
    best, trials = tune(cases, request.prior, quick, vary, told.append)
    assert told == trials
    assert [trial.value for trial in trials[:2]] == [0.2, 0.6]
    assert len(trials) == 4
    assert best.prior_weight == max(trials[:2], key=lambda trial: trial.mean).value
    with open_pool(scheduler) as pool:
        assert tune(cases, request.prior, quick, vary, None, pool) == (best, trials)
