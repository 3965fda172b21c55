"""Zero-filled reconstruction: the root sum of squares of what was measured."""

from __future__ import annotations

from torch import Tensor

from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate


class ZeroFilled:
    """Fill the gaps of k-space with zeros."""

    steps = 1

    def __init__(self, measurement: Measurement) -> None:
        self._measurement = measurement

    def start(self) -> Tensor:
        """Begin with the measured k-space."""
        return self._measurement.kspace

    def step(self, state: Tensor) -> Tensor:
        """Transform and combine, whatever the state."""
        return root_sum_of_squares(to_image(self._measurement.kspace))

    def estimate(self, state: Tensor) -> Estimate:
        """Show the combined image."""
        return Estimate(state)
