"""Fitting the factor between the spread of chains and their error, on validation scans alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm import __version__
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.coverage import LEVELS, Errors, Factor, covered, deviations, fit_factor
from napari_pogmdm.evaluation.method_names import SamplerMethod
from napari_pogmdm.evaluation.tuning import TuningCase
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.sampler.calibration import Calibration
from napari_pogmdm.recon.sampler.ensemble import fingerprint
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.spread import Ratios
from napari_pogmdm.runtime.pool.pool import Here, Lost, Pool, run_jobs, unwanted

_LEAST_SPREAD = 0.1  # of squared logarithms over all cases; data that are all alike tell no power
_HIT = 0.03  # difference of logarithms that counts as none: the factor of one case is not known better than 3 %
_ROUNDS = 60  # of weighting; 20 settle the powers to four digits on 45 cases
MULTIPLES = (1.0, 1.96)  # standard deviations whose coverage results carry: the trade's 68 and 95 %


def errors_of(
    cases: Sequence[TuningCase], method: SamplerMethod, pool: Pool | None = None, keep: Path | None = None
) -> Iterator[Errors]:
    """Run the chains of a method on every case, and compare.

    Parameters
    ----------
    cases
        Their names are that of the scan and, after a blank, that of the mask.
    method
        With its chains, two or more.
    pool
        Where cases run side by side; here if ``None``.
    keep
        Folder of finished cases, which come first and are not run again; ``None`` keeps none.
    """
    prior = load_prior(method.model)
    left = []
    for case in cases:
        place = None if keep is None else _place(keep, case)
        if place is None or not place.exists():
            left.append(case)
        else:
            yield Errors.load(place, _run(case, method, prior), *_names(case))
    for number, found in run_jobs(pool or Here(), case_errors, left, (method, prior)):
        if isinstance(found, Lost):
            raise InputError(f"{found.job.name}: {found.reason}; is there enough memory?")
        if keep is not None:
            found.save(_place(keep, left[number]), _run(left[number], method, prior))
        yield found


def _names(case: TuningCase) -> tuple[str, str]:
    scan, _, mask = case.name.rpartition(" ")
    return scan, mask


def _place(folder: Path, case: TuningCase) -> Path:
    return folder / f"{case.name.replace('/', '-')}.npz"


def _run(case: TuningCase, method: SamplerMethod, prior: ScorePrior) -> str:
    """Name everything that the errors depend on."""
    chains = fingerprint(RunRequest(case.measurement, prior, method.settings, method.chains, method.seed))
    return f"{__version__} {method.chains} {chains}"


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
    result = method.run(case.measurement, cancelled=unwanted, prior=prior)
    return Errors.of(result, case.reference, case.measurement, *_names(case))


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
        judged += [(case, others.factor_at(case.ratios)) for case in found if case.scan == scan]
    coverage = {
        f"{multiple:g}": round(sum(case.inside(multiple, own) for case, own in judged) / len(judged), 4)
        for multiple in MULTIPLES
    }
    story = evidence | {"rows": [_row(case, own) for case, own in judged]}
    return replace(_fit(found, preset, model_sha256), coverage=coverage, evidence=story)


def _fit(cases: Sequence[Errors], preset: str, model_sha256: str) -> Calibration:
    """Find powers of the ratios from the cases' own factors, by least absolute deviations.

    A case whose coils were wrong has an error that no spread tells of; it shall not make all others unsure.
    """
    ratios = np.log([astuple(case.ratios) for case in cases])
    own = np.log([fit_factor([case]) for case in cases])
    middle = ratios.mean(axis=0)
    away = ratios - middle
    told = (away**2).sum(axis=0) >= _LEAST_SPREAD
    powers, level = _least_absolute(away * told, own)
    least, most = ratios.min(axis=0), ratios.max(axis=0)
    return Calibration(
        preset,
        model_sha256,
        factor=round(math.exp(level), 4),
        exponents=_rounded(powers),
        middle=_rounded(np.exp(middle)),
        least=_rounded(np.exp(least)),
        most=_rounded(np.exp(most)),
        coverage={},
        scans=len({case.scan for case in cases}),
        cases=len(cases),
    )


def _least_absolute(known: NDArray[np.float64], wanted: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Find the slopes and the constant whose deviations have the least sum, by least squares weighted again and again.

    Parameters
    ----------
    known
        (cases, facts); a fact that is zero in all cases gets no slope.
    wanted
        (cases,).
    """
    design = np.column_stack([known, np.ones(len(wanted))])
    weights = np.ones(len(wanted))
    found = np.zeros(design.shape[1])
    for _ in range(_ROUNDS):
        found = np.linalg.lstsq(design * weights[:, None], wanted * weights, rcond=None)[0]
        weights = 1 / np.sqrt(np.maximum(np.abs(wanted - design @ found), _HIT))
    return found[:-1], float(found[-1])


def _rounded(values: NDArray[np.float64]) -> Ratios:
    return Ratios(*(round(float(value), 4) for value in values))


def _row(case: Errors, factor: float) -> dict[str, Any]:
    """Tell of one case, with the factor that the other scans gave."""
    return {
        "scan": case.scan,
        "mask": case.mask,
        "noise": round(case.noise, 6),
        "pixels": round(case.pixels),
        **{name: round(value, 4) for name, value in asdict(case.ratios).items()},
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
