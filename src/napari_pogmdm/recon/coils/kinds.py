"""Names of the ways to find the first coils."""

from __future__ import annotations

from enum import StrEnum


class CoilStart(StrEnum):
    """How the first coils are found; `napari_pogmdm.recon.coils.start` has the code of each."""

    AUTO = "auto"
    LOW_PASS = "low-pass"  # noqa: S105 - a filter, no password
    ESPIRIT = "espirit"
    NEWTON = "newton"
    NEWTON_6 = "newton-6"
    NEWTON_9 = "newton-9"
    NEWTON_SMOOTH = "newton-smooth"
    CALIBRATED = "calibrated"
    CALIBRATED_COIL = "calibrated-coil"
    ZERO_FILLED = "zero-filled"
