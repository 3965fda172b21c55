"""How a network prior is trained."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from napari_pogmdm.settings import Settings, setting
from napari_pogmdm.training.settings import NoiseDistribution, TrainingSettings, Weighting

_WARM_UP = (
    200  # iterations over which the rate rises, or a tenth of all, as Adam's first steps are as long as its later ones
)


@dataclass(frozen=True)
class NetworkTrainingSettings(Settings):
    """Choices of training a denoiser at all noise levels at once."""

    title: ClassVar[str] = "network training settings"

    iterations: int = setting(20_000, "optimiser steps", within=(1, 10**9))
    batch: int = setting(16, "patches per step, each at its own noise level", within=(1, 4096))
    patch: int = setting(64, "side of a patch, a multiple of 32", unit="pixels", within=(32, 1024))
    sigma_max: float = setting(
        0.5, "largest noise level σ; levels are drawn evenly in their logarithm", symbol="σ_max", within=(0.01, 10.0)
    )
    rate: float = setting(1e-3, "learning rate of Adam, which falls to zero along a cosine", within=(0.0, 1.0))
    average: float = setting(
        0.999,
        "decay of the moving average of the parameters, which is what is kept",
        within=(0.0, 0.999999),
    )
    phases: float = setting(
        0.5, "share of patches that are multiplied by a wave, as real and imaginary parts of images are", within=(0, 1)
    )
    cleaning: float = setting(
        0.0,
        "strength of the non-local means that take the volumes' own noise out first, in units of that noise; 0: none",
        within=(0.0, 10.0),
    )
    shrinking: float = setting(
        0.0, "share of slices that are made smaller at random, as by a scanner with a smaller matrix", within=(0, 1)
    )
    scans: int = setting(
        0,
        "simulated scans per step that are reconstructed in twenty steps of splitting, whose errors in decibels are "
        "carried back through all of them, beside that of denoising; 0 trains the denoiser alone",
        within=(0, 256),
    )
    half_precision: bool = setting(True, "compute convolutions in bfloat16, which is twice as fast on new processors")
    seed: int = setting(0, "seed of everything random", within=(0, 2**62))

    def rate_at(self, iteration: int) -> float:
        """Learning rate at an iteration counted from one."""
        risen = min(1.0, iteration / min(_WARM_UP, 0.1 * self.iterations))
        return self.rate * risen * 0.5 * (1 + math.cos(math.pi * iteration / self.iterations))

    @property
    def patches(self) -> TrainingSettings:
        """Settings that draw the patches."""
        return TrainingSettings(
            iterations=self.iterations,
            batch=self.batch,
            patch=self.patch,
            noise=NoiseDistribution.SIGMA_LOG_UNIFORM,
            sigma_max=self.sigma_max,
            weighting=Weighting.BALANCED,
            seed=self.seed,
        )
