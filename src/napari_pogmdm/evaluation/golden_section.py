"""The best value of one number, where it lies in an interval and the score has one peak."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from napari_pogmdm.errors import InputError

_RATIO = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class Interval:
    """Where to search, with the number of scores that may be asked for."""

    low: float
    high: float
    evaluations: int = 8

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high < math.inf:
            raise InputError(f"search: {self.low:g}..{self.high:g} is not an interval of positive numbers.")
        if self.evaluations < 2:
            raise InputError("search: needs at least two evaluations.")


def golden_section(score: Callable[[float], float], interval: Interval) -> float:
    """Find the largest score on a logarithmic scale; each further evaluation shrinks the interval by 0.618."""
    low, high = math.log(interval.low), math.log(interval.high)
    inner = [high - _RATIO * (high - low), low + _RATIO * (high - low)]
    found = [score(math.exp(place)) for place in inner]
    tried = list(zip(found, inner, strict=True))
    for _ in range(interval.evaluations - 2):
        better = int(found[1] > found[0])
        if better:
            low, inner[0], found[0] = inner[0], inner[1], found[1]
        else:
            high, inner[1], found[1] = inner[1], inner[0], found[0]
        inner[better] = low + _RATIO * (high - low) if better else high - _RATIO * (high - low)
        found[better] = score(math.exp(inner[better]))
        tried.append((found[better], inner[better]))
    return math.exp(max(tried)[1])
