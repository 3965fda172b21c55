"""Where there is tissue, and where coils see it: what calibrated methods know besides the samples."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import normalise
from napari_pogmdm.physics.espirit import SMALLEST_CALIBRATION, espirit_maps
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.measurement import Measurement


@dataclass(frozen=True, eq=False)
class SupportedCoils:
    """Coils, and where they are to be used.

    Attributes
    ----------
    coils
        (coils, rows, columns), root sum of squares 1 everywhere.
    support
        (rows, columns), true where an image may be other than zero.
    """

    coils: Tensor
    support: Tensor

    @property
    def used(self) -> Tensor:
        """The coils, zero where the image is."""
        return self.coils * self.support


def can_calibrate(measurement: Measurement) -> bool:
    """Whether there are several coils, and a fully sampled centre to calibrate them on."""
    return measurement.coils > 1 and min(measurement.sampling.centre) >= SMALLEST_CALIBRATION


def calibrate(measurement: Measurement, crop: float) -> SupportedCoils:
    """Calibrate coils by ESPIRiT, and keep to where its eigenvalue says that there is an object.

    Parameters
    ----------
    measurement
        With a fully sampled centre.
    crop
        Eigenvalue, at most 1, from which a pixel counts as object.
    """
    if measurement.coils == 1:
        raise InputError("espirit: a single coil has no map to calibrate; use cg-sense.")
    coils, eigenvalue = espirit_maps(measurement.gridded, measurement.sampling.centre)
    return SupportedCoils(normalise(coils), eigenvalue > crop)


def calibrate_or_low_pass(measurement: Measurement, crop: float) -> SupportedCoils:
    """Calibrate where that can be, else take low-pass coils everywhere; for the parameters see `calibrate`."""
    if can_calibrate(measurement):
        return calibrate(measurement, crop)
    coils = starting_coils(measurement, "low-pass")
    return SupportedCoils(coils, torch.ones(measurement.shape, dtype=torch.bool, device=coils.device))
