"""Names of the networks that can be trained; loads nothing heavy."""

from __future__ import annotations

from enum import StrEnum


class Rival(StrEnum):
    """Networks that are trained on undersampled scans and their references."""

    UNET = "unet"
    VARNET = "varnet"
    JSENSE = "jsense"


class Learner(StrEnum):
    """What ``train --rival`` trains: these networks, and scoreMRI's score, which learns from images without scans."""

    UNET = Rival.UNET.value
    VARNET = Rival.VARNET.value
    JSENSE = Rival.JSENSE.value
    SCORE = "score"
