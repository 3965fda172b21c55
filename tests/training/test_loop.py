"""The loop of every training: when it looks, saves and reports, and how the moving average begins."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
import torch

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.training.loop import Rhythm, Training, follow, repeat


@dataclass(frozen=True)
class Point:
    """Of a curve."""

    loss: float


@dataclass
class Counter:
    """A training that counts."""

    iteration: int = 0
    seconds: float = 0.0
    history: list[Point] = field(default_factory=list)
    saved: list[int] = field(default_factory=list)

    def steps(self) -> Training[Point]:
        def advance() -> float:
            self.iteration += 1
            return float(self.iteration)

        return Training(advance, Point, lambda: self.saved.append(self.iteration))


def test_looks_and_saves_in_their_rhythms_and_at_the_end():
    counter, reports = Counter(), []
    repeat(counter, 7, counter.steps(), reports.append, lambda: False, Rhythm(validate=3, save=2))
    assert counter.saved == [2, 4, 6, 7]
    assert [report.iteration for report in reports if report.validation is not None] == [3, 6, 7]
    assert [report.iteration for report in reports] == list(range(1, 8))
    assert reports[0].loss == 1.0
    assert counter.history[-1].loss == reports[-1].loss < 7.0  # a running mean, not the newest loss


def test_saves_before_it_stops():
    counter = Counter()
    with pytest.raises(Cancelled, match="iteration 4"):
        repeat(counter, 9, counter.steps(), lambda _: None, lambda: counter.iteration == 4, Rhythm(5, 5))
    assert counter.saved == [4]


def test_the_average_forgets_its_start_and_then_has_the_decay_that_was_asked_for():
    averaged, now = {"w": torch.zeros(1)}, {"w": torch.ones(1)}
    follow(averaged, now.items(), 1, 0.999)
    assert averaged["w"].item() == pytest.approx(1 - 2 / 11)
    averaged = {"w": torch.zeros(1)}
    follow(averaged, now.items(), 10**6, 0.999)
    assert averaged["w"].item() == pytest.approx(0.001)
