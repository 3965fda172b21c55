"""Fitting the factor between the spread of chains and their error, on validation scans alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import theilslopes

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.coverage import LEVELS, Errors, Factor, covered, deviations, fit_factor
from napari_pogmdm.evaluation.method_names import SamplerMethod
from napari_pogmdm.evaluation.tuning import TuningCase
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.sampler.calibration import Calibration
from napari_pogmdm.runtime.pool.pool import Here, Lost, Pool, run_jobs, unwanted

_LEAST_SPREAD = 0.1  # of squared logarithms over all cases; data that are all alike tell no power
MULTIPLES = (1.0, 1.96)  # standard deviations whose coverage results carry: the trade's 68 and 95 %


def errors_of(cases: Sequence[TuningCase], method: SamplerMethod, pool: Pool | None = None) -> Iterator[Errors]:
    """Run the chains of a method on every case, and compare.

    Parameters
    ----------
    cases
        Their names are that of the scan and, after a blank, that of the mask.
    method
        With its chains, two or more.
    pool
        Where cases run side by side; here if ``None``.
    """
    for _, found in run_jobs(pool or Here(), case_errors, cases, (method, load_prior(method.model))):
        if isinstance(found, Lost):
            raise InputError(f"{found.job.name}: {found.reason}; is there enough memory?")
        yield found


def case_errors(case: TuningCase, common: tuple[SamplerMethod, ScorePrior]) -> Errors:
    """Run the chains of one case, on a worker.

    Parameters
    ----------
    case
        The measurement.
    common
        Method and prior.
    """
    method, prior = common
    scan, _, mask = case.name.rpartition(" ")
    result = method.run(case.measurement, cancelled=unwanted, prior=prior)
    return Errors.of(result, case.reference, case.measurement, scan, mask)


def calibrate(found: Sequence[Errors], preset: str, model_sha256: str, evidence: dict[str, Any]) -> Calibration:
    """Fit the factor to all cases; what to expect of it comes from scans that were left out of a fit in turn.

    Parameters
    ----------
    found
        Of all cases.
    preset, model_sha256
        Of the chains.
    evidence
        To keep beside it.
    """
    scans = list(dict.fromkeys(case.scan for case in found))
    judged: list[tuple[Errors, float]] = []
    for scan in scans:
        others = _fit([case for case in found if case.scan != scan] or found, preset, model_sha256)
        judged += [(case, others.factor_at(case.over_noise)) for case in found if case.scan == scan]
    coverage = {
        f"{multiple:g}": round(sum(case.inside(multiple, own) for case, own in judged) / len(judged), 4)
        for multiple in MULTIPLES
    }
    story = evidence | {"rows": [_row(case, own) for case, own in judged]}
    return replace(_fit(found, preset, model_sha256), coverage=coverage, evidence=story)


def _fit(cases: Sequence[Errors], preset: str, model_sha256: str) -> Calibration:
    """Find a power of spread over noise from the cases' own factors, by medians (Theil and Sen).

    A case whose coils were wrong has an error that no spread tells of; it shall not make all others unsure.
    """
    ratios = np.log([case.over_noise for case in cases])
    own = np.log([fit_factor([case]) for case in cases])
    alike = ((ratios - ratios.mean()) ** 2).sum() < _LEAST_SPREAD
    power = 0.0 if alike else float(theilslopes(own, ratios)[0])
    middle = float(np.median(own - power * (ratios - ratios.mean())))
    low, high = np.exp(ratios.min()), np.exp(ratios.max())
    return Calibration(
        preset,
        model_sha256,
        factor=round(math.exp(middle), 4),
        exponent=round(power, 4),
        ratio=round(float(np.exp(ratios.mean())), 4),
        ratios=(round(float(low), 4), round(float(high), 4)),
        coverage={},
        scans=len({case.scan for case in cases}),
        cases=len(cases),
    )


def _row(case: Errors, factor: float) -> dict[str, Any]:
    """Tell of one case, with the factor that the other scans gave."""
    return {
        "scan": case.scan,
        "mask": case.mask,
        "noise": round(case.noise, 6),
        "pixels": round(case.pixels),
        "over_noise": round(case.over_noise, 4),
        "factor_of_others": round(factor, 4),
        "factor_alone": round(fit_factor([case]), 4),
        **{f"coverage_{round(100 * level)}": round(case.inside(deviations(level), factor), 4) for level in LEVELS},
        "correlation": round(case.correlation, 3),
    }


def in_words(cases: Sequence[Errors], factor: Factor) -> str:
    """Say how much intervals of these cases cover together, and how well spread and error go together."""
    shares = ", ".join(
        f"{100 * covered(cases, deviations(level), factor):.1f} % in the {100 * level:.0f} % interval"
        for level in LEVELS
    )
    mean = sum(case.correlation for case in cases) / len(cases)
    return f"{shares}; correlation of local spread and error {mean:.2f}"
