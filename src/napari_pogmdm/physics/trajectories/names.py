"""Names of the kinds of trajectories, and the defaults of a trajectory; loads nothing heavy."""

from __future__ import annotations

from enum import StrEnum


class TrajectoryKind(StrEnum):
    """Trajectories that `make_trajectory` knows."""

    RADIAL = "radial"
    GOLDEN_RADIAL = "golden-radial"
    SPIRAL = "spiral"


DEFAULT_READOUTS = {TrajectoryKind.RADIAL: 64, TrajectoryKind.GOLDEN_RADIAL: 64, TrajectoryKind.SPIRAL: 16}
"""Spokes that leave out about five sixths of what a 256 x 256 image needs; arms that leave out about two thirds."""
MOST_READOUTS = 4096  # more than any slice has; it bounds what a typing error can make the program compute
