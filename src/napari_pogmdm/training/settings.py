"""How a prior is trained."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import Family, PriorConfiguration
from napari_pogmdm.settings import Settings, setting


class NoiseDistribution(StrEnum):
    """How the noise levels of a batch are drawn."""

    SIGMA_UNIFORM = "sigma-uniform"
    SIGMA_SQUARED_UNIFORM = "sigma-squared-uniform"
    SIGMA_ROOT_UNIFORM = "sigma-root-uniform"
    SIGMA_LOG_UNIFORM = "sigma-log-uniform"


class Weighting(StrEnum):
    """How much each noise level counts."""

    NOISE = "noise"
    BALANCED = "balanced"
    TWEEDIE = "tweedie"


_RATES = (0.0, 1.0)  # 0 keeps a parameter as it is; above 1, steps would be larger than any parameter


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """Choices of denoising score matching."""

    title: ClassVar[str] = "training settings"

    iterations: int = setting(100_000, "optimiser steps", within=(1, 10**9))
    batch: int = setting(16, "patches per step, each at its own noise level", within=(1, 4096))
    patch: int = setting(
        0, "side of a patch; 0 chooses 68 for small filters and 128 for shearlets", unit="pixels", within=(0, 4096)
    )
    noise: NoiseDistribution = setting(
        NoiseDistribution.SIGMA_UNIFORM,
        "how noise levels are drawn, stratified over a batch: σ uniform, σ² uniform (as the paper prints), the root "
        "of σ uniform (more low noise), or the logarithm of σ uniform down to 0.001, as samplers visit the levels",
        formula="σ = σ_max u^q, q = 1, 1/2, 2",
    )
    sigma_max: float = setting(
        1.0,
        "largest noise level σ, a standard deviation; the paper's sampler starts at 0.49",
        symbol="σ_max",
        unit="intensity",
        within=(1e-4, 10.0),
    )
    weighting: Weighting = setting(
        Weighting.NOISE,
        "what the squared error of Tweedie's estimate is divided by: σ² (noise), σ, so that a decibel counts about the "
        "same at every noise level (balanced), or nothing, as the paper prints it (tweedie)",
    )
    weight_rate: float = setting(1e-4, "learning rate of the mixture weights", within=_RATES)
    filter_rate: float = setting(1e-3, "learning rate of fully learned filters", within=_RATES)
    generator_rate: float = setting(5e-5, "learning rate of the shearlet generators", within=_RATES)
    time_rate: float = setting(1e-3, "learning rate of a learned time conditioning", within=_RATES)
    decay: float = setting(
        0.0,
        "last part of the training, as a fraction, over which the rates fall to zero along a cosine",
        within=(0.0, 1.0),
    )
    average: float = setting(
        0.999,
        "decay of the exponential moving average of the parameters, which is what gets shipped",
        within=(0.0, 0.999999),
    )
    augment: bool = setting(True, "rotate by right angles and flip")
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
        "simulated scans per step that are reconstructed in twenty steps of splitting, whose errors are carried back "
        "through all of them; 0 trains the denoiser alone",
        within=(0, 256),
    )
    step_levels: int = setting(
        0,
        "noise levels per step at which two patches are denoised in eight steps, whose errors count in the same way",
        within=(0, 256),
    )
    one_step: float = setting(
        40.0,
        "weight of the usual loss of one step beside these errors, which count in decibels; 40 keeps estimates of one "
        "step within 0.1 dB",
        within=(0.0, 1e4),
    )
    keep_fan_shape: bool = setting(False, "start shearlets from the scaled fan filter instead of the projected one")
    seed: int = setting(0, "seed of everything random", within=(0, 2**63 - 1))

    def patch_for(self, configuration: PriorConfiguration) -> int:
        """Patch size that is used for a kind of prior.

        Raises
        ------
        InputError
            If the patches are too small for the filters.
        """
        local = configuration.family is Family.LOCAL
        smallest = 2 * configuration.filter_size if local else 48
        size = self.patch or (68 if local else 128)
        if size < smallest:
            raise InputError(f"patch: {size} pixels are too few; these filters need at least {smallest}.")
        return size

    def check(self, configuration: PriorConfiguration) -> None:
        """Raise an `InputError` if a kind of prior cannot be trained so."""
        self.patch_for(configuration)
        if (self.scans or self.step_levels) and configuration.family is not Family.LOCAL:
            raise InputError("scans: errors are carried back through small filters only; train shearlets without.")

    @property
    def usual_rhythm(self) -> int:
        """Iterations between checkpoints that cost minutes: reconstructions take seconds, single steps milliseconds."""
        return 100 if self.scans or self.step_levels else 1000

    def rate(self, name: str, iteration: int) -> float:
        """Learning rate of a parameter at an iteration counted from one."""
        group = {"weights": self.weight_rate, "filters": self.filter_rate}
        group |= {"low_pass": self.generator_rate, "fan": self.generator_rate}
        rate = group.get(name, self.time_rate)
        start = self.iterations * (1 - self.decay)
        if iteration <= start:
            return rate
        return 0.5 * rate * (1 + math.cos(math.pi * (iteration - start) / (self.iterations - start)))
