"""How a prior is trained."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_type_hints

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import PriorConfiguration

NoiseDistribution = Literal["sigma-uniform", "sigma-squared-uniform", "sigma-root-uniform"]
Weighting = Literal["noise", "balanced", "tweedie"]


@dataclass(frozen=True)
class TrainingSettings:
    """Choices of denoising score matching.

    Parameters
    ----------
    iterations : int
        Optimiser steps.
    batch : int
        Patches per step, each at its own noise level.
    patch : int
        Side of a patch in pixels; 0 chooses 68 for small filters and 128 for shearlets.
    noise : {"sigma-uniform", "sigma-squared-uniform", "sigma-root-uniform"}
        sqrt(2t) = sigma_max * u^p with u uniform and p = 1, 1/2 (t uniform, as the paper prints) or 2 (more low noise).
        The draws of one batch are stratified.
    sigma_max : float
        Largest noise standard deviation.
    weighting : {"noise", "balanced", "tweedie"}
        "noise" divides the squared error of Tweedie's estimate by 2t, "tweedie" leaves it as the paper prints it, and
        "balanced" divides by sqrt(2t): then a decibel counts about the same at every noise level.
    weight_rate, filter_rate, generator_rate, time_rate : float
        Learning rates of mixture weights, fully learned filters, shearlet generators and time conditioning.
    decay : float
        Last part of the training, as a fraction, over which the rates fall to zero along a cosine.
    average : float
        Decay of the exponential moving average of the parameters, which is what gets shipped.
    augment : bool
        Rotate by right angles and flip.
    keep_fan_shape : bool
        Start shearlets from the scaled fan filter instead of the projected one.
    seed : int
    """

    iterations: int = 100_000
    batch: int = 16
    patch: int = 0
    noise: NoiseDistribution = "sigma-uniform"
    sigma_max: float = 1.0
    weighting: Weighting = "noise"
    weight_rate: float = 1e-4
    filter_rate: float = 1e-3
    generator_rate: float = 5e-5
    time_rate: float = 1e-3
    decay: float = 0.0
    average: float = 0.999
    augment: bool = True
    keep_fan_shape: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse impossible settings."""
        hints = get_type_hints(type(self))
        for field in dataclasses.fields(self):
            value, allowed = getattr(self, field.name), get_args(hints[field.name])
            if allowed and value not in allowed:
                raise InputError(f"Training setting {field.name} is {value!r}; choose one of {', '.join(allowed)}.")
        limits = {
            "iterations": (1, 10**9),
            "batch": (1, 4096),
            "patch": (0, 4096),
            "sigma_max": (1e-4, 10.0),
            "weight_rate": (0.0, 1.0),
            "filter_rate": (0.0, 1.0),
            "generator_rate": (0.0, 1.0),
            "time_rate": (0.0, 1.0),
            "decay": (0.0, 1.0),
            "average": (0.0, 0.999999),
            "seed": (0, 2**63 - 1),
        }
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and low <= value <= high):
                raise InputError(f"Training setting {name} is {value}; choose {low} to {high}.")

    def patch_for(self, configuration: PriorConfiguration) -> int:
        """Patch size that is used for a kind of prior.

        Raises
        ------
        InputError
            If the patches are too small for the filters.
        """
        smallest = 2 * configuration.filter_size if configuration.family == "local" else 48
        size = self.patch or (68 if configuration.family == "local" else 128)
        if size < smallest:
            raise InputError(f"Training setting patch is {size}; these filters need at least {smallest} pixels.")
        return size

    def rate(self, name: str, iteration: int) -> float:
        """Learning rate of a parameter at an iteration counted from one."""
        group = {"weights": self.weight_rate, "filters": self.filter_rate}
        group |= {"low_pass": self.generator_rate, "fan": self.generator_rate}
        rate = group.get(name, self.time_rate)
        start = self.iterations * (1 - self.decay)
        if iteration <= start:
            return rate
        return 0.5 * rate * (1 + math.cos(math.pi * (iteration - start) / (self.iterations - start)))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TrainingSettings:
        """Read what `to_dict` wrote."""
        unknown = set(data) - {field.name for field in dataclasses.fields(cls)}
        if unknown:
            raise InputError(
                f"Unknown training setting {sorted(unknown)[0]!r}; the checkpoint is from another version."
            )
        return cls(**data)
