"""From k-space as people have it, plain arrays or a scan's slice, to a measurement."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.physics.sampling import Sampling
from napari_pogmdm.physics.trajectories.file import as_positions
from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.recon.measurement import Measurement, undersample
from napari_pogmdm.recon.sampling.acquire import own_trajectory
from napari_pogmdm.recon.sampling.mask_recipe import file_mask
from napari_pogmdm.recon.virtual_coils import read_coils

_SMALLEST = 8  # rows and columns; below that there is no image to speak of


def measure(
    kspace: Acquisition | Any,
    mask: Mask | Any = None,
    *,
    trajectory: Trajectory | Any = None,
    shape: tuple[int, int] | None = None,
    coils: int | str | None = "auto",
    prewhiten: bool = False,
    exclude_padding: bool = False,
    noise_floor: bool | None = None,
    device: str | torch.device = "cpu",
    name: str = "array",
) -> Measurement:
    """Keep the samples of a mask, or those along a trajectory, and get them ready for reconstruction.

    Parameters
    ----------
    kspace
        A slice of a scan (``open_scan(file)[index]``), or a complex array (coils, rows, columns), NumPy or torch, with
        the centre of k-space at index ``n // 2`` of rows and columns; (rows, columns) is one coil. Samples along a
        trajectory are (coils, samples) or (coils, readouts, samples).
    mask
        What `make_mask` gave, or an array: (rows, columns) of true and false, or (columns,) for whole columns. Without
        one, the slice's own mask, or everything in an array that is not zero in all coils.
    trajectory
        Instead of a mask: what `make_trajectory` gave, or an array (samples, 2) or (readouts, samples, 2) of positions
        along rows and columns in cycles per pixel, from -0.5 up to below 0.5. From complete k-space on the grid, such
        samples are simulated.
    shape
        Rows and columns of the image, for measured samples along a trajectory that is an array.
    coils
        Number of virtual coils to compress to; ``None`` or 0, or more than there are, keeps the physical ones; "auto"
        keeps as many as the size of the image allows in the usual time, and at least eight.
    prewhiten
        Make the noise equal and uncorrelated between coils first.
    exclude_padding
        Count zero-padded columns as not measured. The paper counts them as measured zeros.
    noise_floor
        Whether the finished image should carry the grey that noise leaves in a root-sum-of-squares image; by default as
        the scan's reference has it.
    device
        Where to reconstruct: "cpu", "cuda" or "mps".
    name
        What to call an array in records and messages.
    """
    if trajectory is not None and mask is not None:
        raise InputError("measure: takes a mask or a trajectory, not both.")
    given = trajectory if trajectory is None or isinstance(trajectory, Trajectory) else _positions(trajectory)
    acquisition = kspace if isinstance(kspace, Acquisition) else _acquisition(kspace, given, shape, name)
    return undersample(
        acquisition,
        _mask(mask, acquisition) if given is None else _trajectory(given, acquisition),
        coils=read_coils(coils) if isinstance(coils, str) else coils,
        prewhiten=prewhiten,
        exclude_padding=exclude_padding,
        noise_floor=noise_floor,
        device=device,
    )


def _acquisition(
    kspace: Any, given: Trajectory | NDArray[np.float32] | None, shape: tuple[int, int] | None, name: str
) -> Acquisition:
    array = _plain(kspace, "kspace")
    if array.dtype.kind != "c":
        raise InputError(f"kspace: has {array.dtype} numbers, but k-space is complex; give complex64.")
    if not np.isfinite(array).all():
        raise InputError("kspace: holds NaN or infinite samples; set what was not measured to zero.")
    if given is not None:
        places = given.positions if isinstance(given, Trajectory) else given
        if array.ndim > 1 and math.prod(array.shape[1:]) == len(places):
            grid = given.shape if isinstance(given, Trajectory) else shape
            samples = array.reshape(array.shape[0], -1).astype(np.complex64)
            return Acquisition(samples, source=name, trajectory=places, grid=grid)
        if array.ndim == 2:
            raise InputError(
                f"trajectory: has {len(places)} positions, but k-space has {array.shape[1]} samples; they belong "
                f"together."
            )
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3 or min(array.shape[1:]) < _SMALLEST:
        raise InputError(f"kspace: has shape {_plain(kspace, 'kspace').shape}; give (coils, rows, columns).")
    return Acquisition(array.astype(np.complex64), source=name)


def _positions(trajectory: Any) -> NDArray[np.float32]:
    array = _plain(trajectory, "trajectory")
    if array.ndim < 2 or array.shape[-1] != 2 or array.dtype.kind not in "fiu":
        raise InputError(f"trajectory: has shape {array.shape}, expected (samples, 2) for rows and columns.")
    return as_positions(array)


def _trajectory(given: Trajectory | NDArray[np.float32], acquisition: Acquisition) -> Trajectory:
    return given if isinstance(given, Trajectory) else Trajectory(given, acquisition.shape)


def _mask(mask: Any, acquisition: Acquisition) -> Sampling:
    if isinstance(mask, Mask):
        return mask
    if mask is None and acquisition.trajectory is not None:
        return own_trajectory(acquisition)
    if mask is None:
        return file_mask(acquisition) if acquisition.mask is not None else _where_measured(acquisition)
    samples = _plain(mask, "mask")
    if samples.dtype.kind not in "biuf" or not np.isin(samples, (0, 1)).all():
        raise InputError("mask: holds values other than true and false; give 1 where a sample was measured, else 0.")
    samples = samples.astype(bool)
    if samples.shape == acquisition.shape[1:]:
        samples = np.broadcast_to(samples, acquisition.shape).copy()
    if samples.shape != acquisition.shape:
        rows, columns = acquisition.shape
        raise InputError(f"mask: has shape {samples.shape}; k-space needs ({rows}, {columns}) or ({columns},).")
    return Mask(samples)


def _where_measured(acquisition: Acquisition) -> Mask:
    measured: NDArray[np.bool_] = (acquisition.kspace != 0).any(axis=0)
    if not measured.any():
        raise InputError(f"{acquisition.source}: k-space is zero everywhere; there is nothing to reconstruct.")
    return Mask(measured)


def _plain(array: Any, field: str) -> NDArray[Any]:
    if isinstance(array, torch.Tensor):
        return array.detach().cpu().numpy()
    if isinstance(array, (str, bytes)) or array is None:
        raise InputError(f"{field}: a {type(array).__name__} is not an array; open files with open_scan(path)[slice].")
    try:
        return np.asarray(array)
    except (TypeError, ValueError) as error:
        raise InputError(f"{field}: a {type(array).__name__} cannot be read as an array.") from error
