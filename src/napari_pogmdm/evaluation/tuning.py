"""Tuning sampler settings on validation scans, one setting at a time, from a list or by golden-section search."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampler.state import Diverged
from napari_pogmdm.runtime.pool.pool import Here, Lost, Pool, run_jobs, unwanted

_FAILED = 0.0  # dB for a run that diverged: below whatever a picture has, so such a value is never chosen
_RATIO = (math.sqrt(5) - 1) / 2  # golden section: one of two inner points serves the next, smaller interval again


@dataclass(frozen=True)
class Interval:
    """Where to search for the best value.

    Attributes
    ----------
    low, high
        Ends, positive.
    evaluations
        Scores that may be asked for; each after the second shrinks the interval by 0.618.
    """

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


@dataclass(frozen=True, eq=False)
class TuningCase:
    """A measurement to tune on.

    Attributes
    ----------
    name
        What to call it.
    measurement
        What the method sees.
    reference
        (rows, columns) of the fully sampled image.
    """

    name: str
    measurement: Measurement
    reference: NDArray[np.float32]


@dataclass(frozen=True)
class Trial:
    """One value that was tried.

    Attributes
    ----------
    setting, value
        What was tried.
    psnr
        Of every case, in dB.
    """

    setting: str
    value: float
    psnr: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean PSNR over the cases."""
        return float(np.mean(self.psnr))


def tune(
    cases: Sequence[TuningCase],
    prior: ScorePrior,
    settings: SamplerSettings,
    candidates: Mapping[str, Sequence[float] | Interval],
    tried: Callable[[Trial], None] | None = None,
    pool: Pool | None = None,
) -> tuple[SamplerSettings, list[Trial]]:
    """Choose one setting after the other by mean PSNR: from its candidates, or by golden section in its interval.

    Parameters
    ----------
    cases
        Validation cases, all of which count alike.
    prior
        To sample with.
    settings
        To begin with.
    candidates
        By name of the setting, in the order in which they are chosen: values, or an interval.
    tried
        Told of each trial as soon as it is done.
    pool
        Where cases run side by side; here if ``None``.

    Returns
    -------
    The best settings, and everything that was tried: its spread shows how much a setting matters.
    """
    kinds = {field.name: type(getattr(settings, field.name)) for field in fields(settings)}
    unknown = [name for name in candidates if kinds.get(name) not in {int, float}]
    if unknown:
        raise InputError(f"vary: {unknown[0]!r} is not a numeric setting of the sampler.")
    trials: list[Trial] = []
    for name, values in candidates.items():
        if kinds[name] is int and (isinstance(values, Interval) or any(int(value) != value for value in values)):
            raise InputError(f"vary: {name} takes whole numbers; list some.")

        def scores(several: Sequence[float], name: str = name, settings: SamplerSettings = settings) -> Iterator[float]:
            tuned = [replace(settings, **{name: kinds[name](value)}) for value in several]
            jobs = ((case, one) for one in tuned for case in cases)
            found = (_kept(result) for _, result in run_jobs(pool or Here(), psnr_of, jobs, prior))
            for value in several:
                trials.append(Trial(name, value, tuple(islice(found, len(cases)))))
                if tried is not None:
                    tried(trials[-1])
                yield trials[-1].mean

        if isinstance(values, Interval):
            best = golden_section(partial(_only, scores), values)
        else:
            means = list(scores(values))
            best = values[means.index(max(means))]
        settings = replace(settings, **{name: kinds[name](best)})
    return settings, trials


def psnr_of(job: tuple[TuningCase, SamplerSettings], prior: ScorePrior) -> float:
    """Run one case with one set of settings, on a worker, and give its PSNR in dB.

    Parameters
    ----------
    job
        Case and settings.
    prior
        To sample with.
    """
    case, settings = job
    try:
        result = reconstruct(case.measurement, model=prior, preset=settings, cancelled=unwanted)
        return metrics(case.reference, result.image).psnr
    except Diverged:
        return _FAILED


def _only(scores: Callable[[Sequence[float]], Iterator[float]], value: float) -> float:
    [found] = scores([value])
    return found


def _kept(result: float | Lost) -> float:
    if isinstance(result, Lost):
        raise InputError(f"{result.job[0].name}: {result.reason}; is there enough memory?")
    return result
