"""Everything that can be set about a sampler run, in words, with the paper's symbols beside them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.coils.kinds import CoilStart


class Algorithm(StrEnum):
    """Algorithms of the sampler."""

    PREDICTOR_CORRECTOR = "predictor-corrector"
    SPLITTING = "splitting"


ALIKE = "chains: without fresh noise (injected_noise) all chains are alike, and their standard deviation is zero."
LIVE_SETTINGS = (
    "corrector_ratio",
    "data_step",
    "prior_weight",
    "conjugate_gradients",
    "momentum",
    "injected_noise",
    "turn_images",
    "coil_interval",
    "coil_step",
    "coil_smoothing",
    "renormalise",
    "final_denoise",
)
"""Settings that may change between two substeps; all others decide what a run starts from, or its plan."""


@dataclass(frozen=True)
class SamplerSettings:
    """Settings of one run; immutable, validated, and the same for window, terminal, Python and tests.

    Attributes
    ----------
    algorithm
        "predictor-corrector" is the paper's Algorithm 1. "splitting" alternates the Tweedie estimate with an exact data
        step on a short schedule of noise levels.
    iterations
        N of the paper's schedule, of which ``start_time`` N are run; for splitting, the number of levels.
    start_time
        t_0 / T: where on the paper's schedule a run starts.
    schedule_power, largest_noise, smallest_noise
        p, zeta_max, zeta_min of the paper's schedule; splitting runs down from the largest to the smallest level in
        even ratios.
    corrector_steps
        M: Langevin steps after each predictor step.
    corrector_ratio
        r: the corrector's step is eps = 2 r |xi|^2 / |score|^2.
    data_step
        lambda: length of the data-consistency gradient step.
    data_noise
        Standard deviation of the noise in the (normalised) data, for splitting; 0 estimates it from the data.
    prior_weight
        kappa: splitting's data step minimises |A x - y|^2 + (kappa data_noise / sigma)^2 |x - x_0|^2.
    conjugate_gradients
        Iterations spent on that minimisation.
    momentum
        How far splitting goes on in the direction of the last iteration before each estimate.
    injected_noise
        Share of the current level that splitting adds before each estimate, so that chains differ; 0 is deterministic.
    turn_images
        Mirror and turn the image before each of splitting's estimates, another way in each iteration, and back after
        it: filters that treat orientations differently then treat them alike on average.
    update_coils
        Estimate the coils jointly; otherwise they stay as they start.
    coil_start
        How the first coils are found.
    map_sets
        Sets of coil maps, each with its own image; a second one serves scans whose field of view wraps (splitting).
    coil_interval
        Coils are updated in every so many-th iteration, from the first on. The paper updates them in each.
    coil_step, coil_smoothing
        alpha and beta of s <- (I + beta L)^-1 (s + alpha conj(x) r). Splitting has no coil step, and weighs the
        roughness of coils with coil_smoothing data_noise^2.
    renormalise
        Keep RSS(s) = 1 by moving it into the image after each coil update. The paper does not.
    real_image
        Keep a real image and coils that are 1: the paper's single-coil experiments.
    final_denoise
        End with one Tweedie estimate. The paper does not.
    """

    algorithm: str = "predictor-corrector"
    iterations: int = 1000
    start_time: float = 0.2
    schedule_power: float = 5.0
    largest_noise: float = 10.0
    smallest_noise: float = 0.001
    corrector_steps: int = 1
    corrector_ratio: float = 0.16
    data_step: float = 1.0
    data_noise: float = 0.0
    prior_weight: float = 0.4
    conjugate_gradients: int = 6
    momentum: float = 0.0
    injected_noise: float = 0.0
    turn_images: bool = False
    update_coils: bool = True
    coil_start: str = "zero-filled"
    map_sets: int = 1
    coil_interval: int = 1
    coil_step: float = 1.0
    coil_smoothing: float = 1.0
    renormalise: bool = False
    real_image: bool = False
    final_denoise: bool = False

    def __post_init__(self) -> None:
        _check_choice("algorithm", self.algorithm, tuple(Algorithm))
        _check_choice("coil_start", self.coil_start, tuple(CoilStart))
        for name, low, high in _RANGES:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
                raise InputError(f"{name}: {value!r} is not a number from {low:g} to {high:g}.")
        for name in ("turn_images", "update_coils", "renormalise", "real_image", "final_denoise"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name}: {getattr(self, name)!r} is neither true nor false.")
        for name in ("iterations", "corrector_steps", "conjugate_gradients", "map_sets", "coil_interval"):
            if not isinstance(getattr(self, name), int):
                raise InputError(f"{name}: {getattr(self, name)!r} is not a whole number.")
        if self.smallest_noise >= self.largest_noise:
            raise InputError("smallest_noise: must be below largest_noise.")

    def to_dict(self) -> dict[str, Any]:
        """Give the settings as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SamplerSettings:
        """Read what `to_dict` gave; unknown names are refused, missing ones take their default."""
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(data) - known)
        if unknown:
            raise InputError(f"settings: unknown name {unknown[0]!r}; known are {', '.join(sorted(known))}.")
        return cls(**data)

    def to_json(self) -> str:
        """Write as JSON text."""
        return json.dumps(self.to_dict(), indent=2)

    @classmethod
    def from_json(cls, text: str) -> SamplerSettings:
        """Read what `to_json` wrote."""
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(f"settings: not valid JSON ({error}).") from error
        if not isinstance(data, dict):
            raise InputError("settings: expected a JSON object of names and values.")
        return cls.from_dict(data)


_RANGES: tuple[tuple[str, float, float], ...] = (
    ("iterations", 1, 100_000),
    ("start_time", 1e-6, 1.0),
    ("schedule_power", 1e-3, 100.0),
    ("largest_noise", 1e-6, 1e4),
    ("smallest_noise", 1e-8, 1e3),
    ("corrector_steps", 0, 100),
    ("corrector_ratio", 0.0, 100.0),
    ("data_step", 0.0, 100.0),
    ("data_noise", 0.0, 10.0),
    ("prior_weight", 1e-6, 1e3),
    ("conjugate_gradients", 1, 1000),
    ("momentum", 0.0, 1.0),
    ("injected_noise", 0.0, 10.0),
    ("map_sets", 1, 4),
    ("coil_interval", 1, 100_000),
    ("coil_step", 0.0, 1e3),
    ("coil_smoothing", 0.0, 1e6),
)


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"{name}: unknown {value!r}; choose from {', '.join(choices)}.")
