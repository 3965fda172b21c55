"""Words that settings of the sampler choose from."""

from __future__ import annotations

from enum import StrEnum


class Algorithm(StrEnum):
    """Algorithms of the sampler; the settings that only some of them use name them."""

    PREDICTOR_CORRECTOR = "predictor-corrector"
    SPLITTING = "splitting"
    POSTERIOR = "posterior"


class Choosing(StrEnum):
    """How much of a run's settings the data choose."""

    NONE = "none"
    QUICK = "quick"
    FULL = "full"
