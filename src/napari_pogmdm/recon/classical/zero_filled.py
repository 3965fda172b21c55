"""Zero-filled reconstruction: the root sum of squares of what was measured, density-compensated along a trajectory."""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate


class ZeroFilled:
    """Fill the gaps of k-space with zeros: the first image of everything else."""

    steps = 1

    def __init__(self, measurement: Measurement) -> None:
        self._measurement = measurement

    def start(self) -> Tensor:
        """Begin with nothing."""
        return torch.zeros(self._measurement.shape)

    def step(self, state: Tensor) -> Tensor:
        """Transform and combine, whatever the state."""
        return root_sum_of_squares(self._measurement.first_images)

    def estimate(self, state: Tensor) -> Estimate:
        """Show the combined image."""
        return Estimate(state)
