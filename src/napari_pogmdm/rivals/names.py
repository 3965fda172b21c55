"""Names of the networks that can be trained; loads nothing heavy."""

from __future__ import annotations

from enum import StrEnum


class Rival(StrEnum):
    """Networks that are trained on undersampled scans and their references."""

    UNET = "unet"
    VARNET = "varnet"
    JSENSE = "jsense"
