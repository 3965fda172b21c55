"""Mean and variance over chains, summed up as they finish; no sample is kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Moments:
    """Running mean and sum of squared deviations (Welford).

    Attributes
    ----------
    count
        Chains so far.
    mean, deviations
        (rows, columns) float64.
    noise
        Mean over chains of the noise found in the data.
    """

    count: int
    mean: NDArray[np.float64]
    deviations: NDArray[np.float64]
    noise: float = 0.0

    @classmethod
    def empty(cls, shape: tuple[int, int]) -> Moments:
        """Moments of no chains."""
        return cls(0, np.zeros(shape), np.zeros(shape))

    def add(self, image: NDArray[np.floating], noise: float = 0.0) -> Moments:
        """Return the moments with one more chain."""
        count = self.count + 1
        away = image - self.mean
        mean = self.mean + away / count
        average = self.noise + (noise - self.noise) / count
        return Moments(count, mean, self.deviations + away * (image - mean), average)

    @property
    def variance(self) -> NDArray[np.float64]:
        """Unbiased variance over chains; zero while there are fewer than two."""
        return self.deviations / max(self.count - 1, 1)
