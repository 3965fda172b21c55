"""What the pictures of a scan and of a run are, by name; each is a layer of the window and a track of a recording."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a picture shows."""

    REFERENCE = "reference"
    ZERO_FILLED = "zero-filled"
    KSPACE = "k-space"
    POINT_SPREAD = "point spread"
    COIL_IMAGES = "coil images"
    IMAGE = "image"
    BEFORE_FORK = "before fork"
    PHASE = "phase"
    TWEEDIE = "tweedie"
    COIL_MAGNITUDE = "coil magnitude"
    COIL_PHASE = "coil phase"
    MEAN = "mean"
    DEVIATION = "deviation"
    DOUBT = "doubt"
    ERROR = "error"
    RESIDUAL = "residual"


LIVE_ROLES = (
    Role.IMAGE,
    Role.PHASE,
    Role.TWEEDIE,
    Role.COIL_MAGNITUDE,
    Role.COIL_PHASE,
    Role.MEAN,
    Role.DEVIATION,
    Role.DOUBT,
    Role.ERROR,
    Role.RESIDUAL,
)
"""What a running sampler can show."""

SLOW_ROLES = frozenset({Role.TWEEDIE, Role.RESIDUAL})
"""Those that cost as much as a step of the run."""
