"""How a rival is trained."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from napari_pogmdm.settings import Settings, require_below, setting


class Loss(StrEnum):
    """What a rival's image is compared with its reference by."""

    L1 = "l1"
    RMS = "rms"
    SSIM = "ssim"


_NOISE = (0.0, 0.5)  # of the brightest pixel; above, an image is all noise
_MOST_COILS = 64  # as many as large receive arrays have


@dataclass(frozen=True)
class RivalSettings(Settings):
    """Choices of a rival's training: simulated scans of open images, all with masks of one kind."""

    title: ClassVar[str] = "training settings of a rival"

    iterations: int = setting(6000, "optimiser steps, one simulated scan each", within=(1, 10**9))
    size: int = setting(
        384,
        "largest number of rows and columns of a slice; a larger one is downsampled",
        unit="pixels",
        within=(32, 1024),
    )
    shrinking: float = setting(
        0.3, "share of slices that are made smaller at random, as by a scanner with a smaller matrix", within=(0, 1)
    )
    rows: int = setting(
        48,
        "rows of a scan, which is a strip of a slice with all its columns; 0 takes the whole slice",
        unit="pixels",
        within=(0, 1024),
    )
    acceleration: float = setting(4.0, "acceleration of the masks, which are random columns", within=(1.1, 64.0))
    centre_fraction: float = setting(0.08, "share of fully sampled columns in the middle", within=(0.0, 0.9))
    fewest_coils: int = setting(4, "smallest number of simulated coils", within=(1, _MOST_COILS))
    most_coils: int = setting(10, "largest number of simulated coils", within=(1, _MOST_COILS))
    least_noise: float = setting(0.003, "smallest standard deviation of k-space noise", within=_NOISE)
    most_noise: float = setting(0.03, "largest standard deviation of k-space noise", within=_NOISE)
    loss: Loss = setting(
        Loss.L1, "mean absolute difference, root mean square difference, or one minus SSIM, as published"
    )
    rate: float = setting(1e-3, "learning rate of Adam", within=(0.0, 1.0))
    warm_up: int = setting(100, "steps over which the rate grows to its value", within=(0, 10**6))
    decay: float = setting(
        0.5, "last part of the training, as a fraction, over which the rate falls to zero along a cosine", within=(0, 1)
    )
    half: bool = setting(
        False, "compute convolutions in bfloat16, which is 1.5 times as fast on processors that support it"
    )
    clip: float = setting(1.0, "largest norm of a gradient", within=(1e-6, 1e6))
    average: float = setting(
        0.998, "decay of the moving average of the weights, which is exported", within=(0, 0.99999)
    )
    seed: int = setting(0, "seed of first weights, scans and masks", within=(0, 2**31))

    def __post_init__(self) -> None:
        super().__post_init__()
        require_below(self, "least_noise", "most_noise")
        if self.most_coils < self.fewest_coils:
            require_below(self, "fewest_coils", "most_coils")

    def rate_at(self, iteration: int) -> float:
        """Learning rate at an iteration counted from one."""
        rate = self.rate * min(1.0, iteration / max(self.warm_up, 1))
        start = self.iterations * (1 - self.decay)
        if iteration <= start:
            return rate
        return 0.5 * rate * (1 + math.cos(math.pi * (iteration - start) / (self.iterations - start)))
