from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.tuning import Interval, golden_section


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
