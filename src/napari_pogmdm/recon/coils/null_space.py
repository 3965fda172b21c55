"""Null-space residual: what of a complete scan's coil images lies outside the span of the coils."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import normalise, root_sum_of_squares
from napari_pogmdm.physics.compression import compress_coils
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.sampling.acquire import acquire
from napari_pogmdm.runtime.threads import fixed_blocks


def full_coil_images(acquisition: Acquisition, measurement: Measurement) -> Tensor:
    """Coil images (coils, rows, columns) of the complete scan, in the virtual coils of a measurement of it."""
    if acquisition.mask is not None or acquisition.trajectory is not None:
        raise InputError(f"{acquisition.source}: is undersampled, so its coils cannot be judged.")
    if measurement.preparation.prewhiten:
        raise InputError(f"{acquisition.source}: coils are judged without prewhitening; leave it out.")
    full = torch.from_numpy(np.ascontiguousarray(acquisition.kspace, dtype=np.complex64))
    count = int(measurement.kspace.shape[0])
    if count < acquisition.coils:
        full = compress_coils(acquire(acquisition, measurement.sampling)[1], count)(full)
    return to_image(full)


@fixed_blocks()
def null_space_residual(coils: Tensor, coil_images: Tensor) -> Tensor:
    """Part of fully sampled coil images that the coils cannot explain: RSS over i of s_i sum_j conj(s_j) z_j - z_i."""
    unit = normalise(coils)
    explained = unit * torch.linalg.vecdot(unit, coil_images, dim=-3).unsqueeze(-3)
    return root_sum_of_squares(explained - coil_images)


def relative_residual(coils: Tensor, images: Tensor) -> float:
    """Norm of the null-space residual of the coils against that of the coil images.

    Noise alone leaves some of it: all but one part in ``coils`` of its energy lies outside the span of any maps.
    """
    residual = null_space_residual(coils.to(images), images)
    return float(torch.linalg.vector_norm(residual) / torch.linalg.vector_norm(images))
