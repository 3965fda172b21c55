"""The spread of chains as an estimate of the error of their mean, before calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

# Pixels a side over which variances are averaged. That of one pixel over eight chains is known to 27 % at best, which
# makes long tails of errors that are normal: on six validation cases the factors for 68 and 95 % were 20 to 30 % apart
# without the average, and 4 to 12 % with 5 pixels.
_PATCH = 5
_OBJECT = 0.1  # of the brightest pixel; what is brighter counts as object


def spread_of_mean(variance: NDArray[np.floating], chains: int, *, mirrored: bool) -> NDArray[np.float64]:
    """Give the standard deviation of chains, averaged over neighbours, as it holds for the error of their mean.

    Of n chains that know nothing of each other, the mean has the n-th part of a chain's variance itself. The mean of
    chains that mirror each other in pairs has next to none, and the unbiased variance is too large by n / (n - 1).

    Parameters
    ----------
    variance
        (rows, columns), unbiased, over chains.
    chains
        How many, two or more.
    mirrored
        Whether every second chain drew the opposite noise of the one before.
    """
    share = 1 - 1 / chains if mirrored else 1 + 1 / chains
    return np.sqrt(share * np.maximum(uniform_filter(variance.astype(np.float64), _PATCH), 0))


@dataclass(frozen=True)
class Ratios:
    """How large the spread of chains is, as a root mean square inside the object.

    Where it is little more than the noise, noise is what images are unsure of, and chains know it well. Where it is
    many times the noise, most is what data and prior leave open together, which chains explore less than they should;
    the more so, the more of the detail is unsure.

    Attributes
    ----------
    over_noise
        In units of the noise of the data; not a number where that is not known.
    over_detail
        In units of the gradient of the mean, per pixel; not a number of an image that has none.
    """

    over_noise: float
    over_detail: float

    @classmethod
    def of(cls, spread: NDArray[np.floating], mean: NDArray[np.floating], noise: float) -> Ratios:
        """Compare a spread with noise and detail.

        Parameters
        ----------
        spread, mean
            (rows, columns) of the same chains, in the same units.
        noise
            Standard deviation of a real component of the data, in these units.
        """
        body = mean > _OBJECT * mean.max()
        if not body.any():
            return cls(math.nan, math.nan)
        size = _root_mean_square(spread[body])
        detail = _root_mean_square(np.hypot(*np.gradient(mean.astype(np.float64)))[body])
        return cls(size / noise if noise > 0 else math.nan, size / detail if detail > 0 else math.nan)

    @classmethod
    def recorded(cls, sampler: Mapping[str, Any]) -> Ratios:
        """Read what a record of chains says, as ``named`` gives it."""
        return cls(*(float(sampler.get(f"spread_{one.name}", math.nan)) for one in fields(cls)))

    @property
    def named(self) -> dict[str, float]:
        """As a record has them."""
        return {f"spread_{name}": value for name, value in asdict(self).items()}


def _root_mean_square(values: NDArray[np.floating]) -> float:
    return math.sqrt(float(np.square(values, dtype=np.float64).mean()))
