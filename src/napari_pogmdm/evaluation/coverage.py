"""Whether the truth lies inside intervals as often as they claim: coverage, reliability, and the factor that fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file
from napari_pogmdm.reading import read_archive
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.spread import Ratios

OBJECT = 0.1  # of the reference's maximum; what is brighter counts as object, the rest as background
LEVELS = (0.5, 0.68, 0.9, 0.95)
"""Coverages that are printed; those that a factor is fitted to are the second and the last."""
_NEIGHBOURS = (
    9  # pixels a side over which errors and spreads are compared: wide enough to tell errors' size from chance
)
_BOUNDS = (1e-3, 1e3)  # of a factor; beyond them spread and error have nothing to do with each other
_HALVINGS = 60  # of the interval between them: to the last digit
_ALIKE = Ratios(1.0, 1.0)  # where nobody has compared a spread with anything


def deviations(level: float) -> float:
    """Say how many standard deviations to each side hold a share of a normal distribution."""
    return NormalDist().inv_cdf(0.5 + level / 2)


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of one case inside the object, beside what the chains say about them.

    Attributes
    ----------
    scan, mask
        Names of the case.
    error
        (pixels,) absolute error of the mean of the chains, in units of the reference's maximum.
    spread
        (pixels,) standard deviation of the chains, as it holds for their mean: not calibrated.
    reference_noise
        Noise of the reference that the data do not share, in the same units: it is in the error, too.
    correlation
        Of the spread with the error, both as root mean squares over 9 x 9 pixels.
    ratios
        How large the spread is, as the record of the chains has it.
    noise, pixels
        Of the data, normalised as the sampler sees them, and how many the whole image has.
    """

    scan: str
    mask: str
    error: NDArray[np.float64]
    spread: NDArray[np.float64]
    reference_noise: float
    correlation: float
    ratios: Ratios = _ALIKE
    noise: float = 1.0
    pixels: float = 1.0

    @classmethod
    def of(
        cls, result: Reconstruction, reference: FloatImage, measurement: Measurement, scan: str = "", mask: str = ""
    ) -> Errors:
        """Compare a result of several chains with the reference.

        Parameters
        ----------
        result
            With a variance.
        reference
            (rows, columns), cropped.
        measurement
            What the result was made from.
        scan, mask
            Names of the case.
        """
        spread = result.spread
        if spread is None:
            raise InputError("chains: one chain has no spread; run two or more.")
        peak = float(reference.max())
        body = reference > OBJECT * peak
        error = np.abs(result.image.astype(np.float64) - reference) / peak
        local = [np.sqrt(uniform_filter(values.astype(np.float64) ** 2, _NEIGHBOURS)) for values in (spread, error)]
        correlation = float(np.corrcoef(local[0][body], local[1][body])[0, 1])
        unshared = 0.0
        if (
            measurement.noise_floor
        ):  # the reference is noisy, but for the samples that were measured with the data's own
            unshared = result.noise * math.sqrt(1 - 1 / measurement.noisy_acceleration) / peak
        facts = (
            Ratios.recorded(result.record.sampler),
            result.noise / measurement.scale,
            float(math.prod(measurement.shape)),
        )
        return cls(scan, mask, error[body], spread[body].astype(np.float64) / peak, unshared, correlation, *facts)

    def save(self, path: Path, run: str) -> None:
        """Keep them in a file, with the name of the run that they are of."""
        numbers = (self.reference_noise, self.correlation, *astuple(self.ratios), self.noise, self.pixels)
        with whole_file(path) as stream:
            np.savez(stream, run=run, error=self.error, spread=self.spread, numbers=numbers)

    @classmethod
    def load(cls, path: Path, run: str, scan: str, mask: str) -> Errors:
        """Read what `save` wrote.

        Parameters
        ----------
        path
            Of the file.
        run
            Name of the run that they should be of.
        scan, mask
            Names of the case.
        """
        kept = read_archive(path, "file of errors", ("run", "error", "spread", "numbers"))
        error, spread, numbers = kept["error"], kept["spread"], kept["numbers"]
        fits = (
            all(one.dtype == np.float64 for one in (error, spread, numbers))
            and error.ndim == 1
            and error.shape == spread.shape
            and numbers.shape == (6,)
            and bool(np.isfinite(error).all() and np.isfinite(spread).all())
        )
        if str(kept["run"]) != run or not fits:
            raise InputError(f"{path}: does not hold errors of this run; remove it, or name another folder.")
        unshared, correlation, over_noise, over_detail, noise, pixels = numbers.tolist()
        return cls(scan, mask, error, spread, unshared, correlation, Ratios(over_noise, over_detail), noise, pixels)

    def inside(self, multiple: float, factor: float = 1.0) -> float:
        """Share of pixels whose error is within so many standard deviations, once those are multiplied by a factor."""
        total = np.sqrt((factor * self.spread) ** 2 + self.reference_noise**2)
        return float((self.error <= multiple * total).mean())


def judged_intervals(
    result: Reconstruction, reference: FloatImage, measurement: Measurement
) -> tuple[Errors, float] | None:
    """Compare the calibrated intervals of a result with the reference.

    Parameters
    ----------
    result
        Of any number of chains.
    reference
        (rows, columns), cropped.
    measurement
        What the result was made from.

    Returns
    -------
    Errors and the factor of the calibration; ``None`` for one chain, a spread that nobody has calibrated, or a
    reference of another size.
    """
    if result.std is None or reference.shape != result.image.shape:
        return None
    return Errors.of(result, reference, measurement), float(result.record.sampler["calibration"]["factor"])


Factor = float | Callable[[Ratios], float]
"""What spreads are multiplied by: a number, or a function of how large they are."""


def covered(cases: Sequence[Errors], multiple: float, factor: Factor) -> float:
    """Share of pixels inside so many standard deviations; every case counts alike."""
    return float(np.mean([case.inside(multiple, at(factor, case)) for case in cases]))


def at(factor: Factor, case: Errors) -> float:
    """Give the factor for a case."""
    return factor(case.ratios) if callable(factor) else factor


def fit_factor(cases: Sequence[Errors]) -> float:
    """Find the factor with which normal intervals cover what they say: the geometric mean of those for 68 and 95 %.

    Errors have longer tails than a normal distribution, so that no factor fits both; this one is off alike in each.
    """
    if not cases:
        raise InputError("calibrate: there is no case to fit on.")
    return math.sqrt(_factor_for(cases, LEVELS[1]) * _factor_for(cases, LEVELS[3]))


def reliability(cases: Sequence[Errors], factor: Factor, points: int = 19) -> list[tuple[float, float]]:
    """List what normal intervals claim to cover, evenly from 5 to 95 % or finer, and what they do cover."""
    claimed = [float(share) for share in np.linspace(0, 1, points + 2)[1:-1]]
    return [(share, covered(cases, deviations(share), factor)) for share in claimed]


def _factor_for(cases: Sequence[Errors], level: float) -> float:
    low, high = (math.log(bound) for bound in _BOUNDS)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if covered(cases, deviations(level), math.exp(middle)) < level:
            low = middle
        else:
            high = middle
    return math.exp(high)
