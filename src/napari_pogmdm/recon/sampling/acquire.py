"""The samples of a slice that a mask keeps, or that lie along a trajectory."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.encoding.nufft import nufft
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.physics.masks.mask import FILE_EDIT, Mask
from napari_pogmdm.physics.sampling import Sampling
from napari_pogmdm.physics.trajectories.trajectory import Trajectory


def acquire(acquisition: Acquisition, sampling: Sampling, *, exclude_padding: bool = False) -> tuple[Sampling, Tensor]:
    """Give the samples, and the sampling as it came out: a mask without what the file does not hold.

    Parameters
    ----------
    acquisition
        One slice.
    sampling
        A mask, or a trajectory.
    exclude_padding
        Count zero-padded columns as not measured.

    Returns
    -------
    The sampling, and complex64 samples (coils, rows, columns), zero where nothing was measured, or (coils, samples).
    """
    if sampling.shape != acquisition.shape:
        raise InputError(
            f"{_word(sampling)}: has shape {sampling.shape}, but {acquisition.source} has {acquisition.shape}."
        )
    if isinstance(sampling, Trajectory):
        return sampling, _along(acquisition, sampling)
    if not isinstance(sampling, Mask):
        raise InputError(f"mask: a {type(sampling).__name__} is neither a mask nor a trajectory.")
    if acquisition.trajectory is not None:
        raise InputError(f"mask: {acquisition.source} lies along a trajectory of its own; leave the mask out.")
    mask = _held(acquisition, sampling, exclude_padding)
    kspace = torch.from_numpy(np.array(acquisition.kspace, dtype=np.complex64))
    return mask, kspace * torch.from_numpy(mask.samples)


def own_trajectory(acquisition: Acquisition) -> Trajectory:
    """Return the trajectory of a scan that was measured along one."""
    if acquisition.trajectory is None:
        raise InputError(f"{acquisition.source}: was measured on the grid and has no trajectory; choose one.")
    return Trajectory(acquisition.trajectory, acquisition.shape, kind="file")


def refuse_undersampled(acquisition: Acquisition) -> None:
    """Refuse a scan that lacks samples on the grid, of which none along a trajectory can be simulated."""
    if acquisition.mask is not None:
        raise InputError(
            f"trajectory: {acquisition.source} is undersampled already; a trajectory is simulated from a complete scan."
        )


def _along(acquisition: Acquisition, trajectory: Trajectory) -> Tensor:
    """Measured samples where the slice has them there; else those of its coil images."""
    if acquisition.trajectory is not None:
        if not np.array_equal(acquisition.trajectory, trajectory.positions):
            raise InputError(f"trajectory: {acquisition.source} was measured along another one; leave it out.")
        return torch.from_numpy(np.array(acquisition.kspace, dtype=np.complex64))
    refuse_undersampled(acquisition)
    images = to_image(torch.from_numpy(np.array(acquisition.kspace, dtype=np.complex64)))
    return nufft(images, torch.from_numpy(trajectory.positions))


def _held(acquisition: Acquisition, mask: Mask, exclude_padding: bool) -> Mask:
    samples = mask.samples if acquisition.mask is None else mask.samples & acquisition.mask
    columns = acquisition.header.acquired_columns
    if exclude_padding and columns is not None:
        inside = np.zeros(acquisition.shape[1], dtype=bool)
        inside[columns[0] : columns[1]] = True
        samples = samples & inside
    if not samples.any():
        raise InputError(f"mask: shares no sample with those that {acquisition.source} holds; choose another mask.")
    return mask.edited(samples, FILE_EDIT) if (samples != mask.samples).any() else mask


def _word(sampling: Sampling) -> str:
    return "trajectory" if isinstance(sampling, Trajectory) else "mask"
