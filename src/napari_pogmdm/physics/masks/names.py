"""Names of the kinds of masks, and the defaults of a mask; loads nothing heavy."""

from __future__ import annotations

from enum import StrEnum


class MaskKind(StrEnum):
    """Patterns of samples that `make_mask` knows."""

    CARTESIAN = "cartesian"
    FASTMRI_RANDOM = "fastmri-random"
    FASTMRI_EQUISPACED = "fastmri-equispaced"
    FASTMRI_MATCHED = "fastmri-matched"
    PARTIAL_FOURIER = "partial-fourier"
    RADIAL = "radial"
    GOLDEN_RADIAL = "golden-angle"
    SPIRAL = "spiral"
    GAUSSIAN = "gaussian"
    POISSON = "poisson"


class Axis(StrEnum):
    """Direction of whole lines."""

    COLUMNS = "columns"
    ROWS = "rows"


# The Cartesian masks of the paper's experiments: 4-fold, 8 % central lines (ACS), whole columns, seed 42.
DEFAULT_ACCELERATION = 4.0
DEFAULT_CENTRE_FRACTION = 0.08
DEFAULT_MASK_SEED = 42
DEFAULT_AXIS = Axis.COLUMNS
LARGEST_MASK_SEED = 2**32 - 1  # what NumPy's `RandomState` takes

AUTO = "auto"
"""The mask that the scan brings, or else a Cartesian one."""
OWN = "file"
"""The mask that the scan brings, and no other."""
