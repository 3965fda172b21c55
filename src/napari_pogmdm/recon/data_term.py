"""The data term D(x, s) = 1/2 |y - A(x, s)|^2 of a measurement, computed in image space."""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.physics.sense import Sense
from napari_pogmdm.recon.measurement import Measurement


class DataTerm:
    """What a measurement says about an image and coils.

    Attributes
    ----------
    sense
        The forward operator.
    zero_filled
        Coil images E^H y, (coils, rows, columns), which stand for the data in all gradients.
    first_images
        Coil images to begin with: the same, divided by the density of the samples where they are on no grid.
    power
        |y|^2.
    """

    def __init__(self, measurement: Measurement) -> None:
        self.sense = Sense(measurement.encoding)
        self.zero_filled = self.sense.zero_filled(measurement.kspace)
        uniform = measurement.encoding.uniform
        self.first_images = self.zero_filled if uniform else measurement.compensated.adjoint(measurement.kspace)
        self.power = float((measurement.kspace * measurement.fitted).abs().square().sum())

    def residual(self, image: Tensor, coils: Tensor) -> Tensor:
        """Coil images E^H (y - A(x, s)) of what is not explained yet."""
        return self.sense.residual(image, coils, self.zero_filled)

    def energy(self, residual: Tensor, coil_images: Tensor) -> Tensor:
        """Half the squared norm of y - E z.

        Parameters
        ----------
        residual
            E^H (y - E z).
        coil_images
            z, such as s x.
        """
        return 0.5 * self.sense.encoding.energy(residual, coil_images, self.zero_filled, self.power)

    def share_unexplained(self, residual: Tensor, coil_images: Tensor) -> float:
        """Measure a residual against the data, |y - E z| / |y|; for the parameters see `energy`."""
        return float(torch.sqrt(2 * self.energy(residual, coil_images) / self.power))
