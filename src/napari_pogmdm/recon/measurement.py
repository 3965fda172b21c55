"""Undersampled, normalised data: all that a reconstruction may see."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.arrays import shapes
from napari_pogmdm.data.acquisition import Acquisition, Origin, Size, centre_crop
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.compression import compress_coils
from napari_pogmdm.physics.fourier import PLANE, to_image
from napari_pogmdm.physics.masks.mask import FILE_EDIT, Mask
from napari_pogmdm.physics.noise import whiten, whitening_matrix
from napari_pogmdm.recon.virtual_coils import virtual_coils


@dataclass(frozen=True)
class Preparation:
    """What was done to the samples before reconstruction; see `undersample`."""

    coils: int | None = None
    prewhiten: bool = False
    exclude_padding: bool = False
    noise_floor: bool | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Measurement:
    """Undersampled, normalised data.

    Attributes
    ----------
    kspace
        (coils, rows, columns) complex64 on the device of the run, zero where nothing was measured, scaled so that the
        zero-filled root-sum-of-squares image has a largest value of 1.
    mask
        Which samples were measured.
    scale
        Multiply an image by this to return to the units of the file.
    crop
        Rows and columns of the middle of the image that people look at.
    source
        Where the data came from.
    physical_coils
        How many coils the file has.
    kept_energy
        Share of the signal energy that coil compression kept.
    noise_floor
        Whether a finished image should carry the grey that noise leaves in a root-sum-of-squares image, as its
        reference does.
    preparation
        How it was made from the samples.
    origin
        Where the samples can be read again.
    left_out
        (coils, rows, columns) bool: measured samples that a fit must not see, because it is judged by how it predicts
        them; ``None`` leaves nothing out.
    """

    kspace: Tensor
    mask: Mask
    scale: float
    crop: Size
    source: str
    physical_coils: int
    kept_energy: float
    noise_floor: bool = False
    preparation: Preparation = Preparation()
    origin: Origin | None = None
    left_out: Tensor | None = None

    @property
    def shape(self) -> Size:
        """Rows and columns of the whole image."""
        return self.mask.shape

    @property
    def noisy_acceleration(self) -> float:
        """Grid points over samples that hold noise: measured, and not the zeros of a padded column."""
        noisy = self.mask_tensor & (self.kspace != 0).any(dim=0)
        return self.mask.samples.size / int(noisy.sum())

    def to(self, device: str | torch.device) -> Measurement:
        """Give the measurement on another device."""
        return replace(self, kspace=self.kspace.to(device))

    def __repr__(self) -> str:
        size = f"{shapes(self.kspace[0])}, {self.kspace.shape[0]} coils"
        return f"<Measurement of {self.source}, {size}, {self.mask.describe()}, {self.kspace.device}>"

    @property
    def mask_tensor(self) -> Tensor:
        """The mask on the device of the data."""
        return torch.from_numpy(self.mask.samples).to(self.kspace.device)

    @property
    def fitted(self) -> Tensor:
        """Samples that a fit may see: the mask, or (coils, rows, columns) where some are left out."""
        measured = self.mask_tensor
        return measured if self.left_out is None else measured & ~self.left_out.to(measured.device)


def undersample(
    acquisition: Acquisition,
    mask: Mask,
    *,
    coils: int | None = None,
    prewhiten: bool = False,
    exclude_padding: bool = False,
    noise_floor: bool | None = None,
    device: str | torch.device = "cpu",
) -> Measurement:
    """Keep the samples of the mask, and get them ready for reconstruction.

    Parameters
    ----------
    acquisition
        One slice, complete or undersampled already.
    mask
        Of its shape; of an undersampled slice, only what the file holds is kept.
    coils
        Virtual coils to compress to, as `virtual_coils` reads them; more than there are keeps the physical ones.
    prewhiten
        Make the noise equal and uncorrelated between coils first.
    exclude_padding
        Count zero-padded columns as not measured. The paper counts them as measured zeros.
    noise_floor
        See `Measurement`; by default as the scan's reference has it.
    device
        Where reconstructions are to be computed.
    """
    if mask.shape != acquisition.shape:
        raise InputError(f"mask: has shape {mask.shape}, but {acquisition.source} has {acquisition.shape}.")
    samples = mask.samples if acquisition.mask is None else mask.samples & acquisition.mask
    columns = acquisition.header.acquired_columns
    if exclude_padding and columns is not None:
        inside = np.zeros(acquisition.shape[1], dtype=bool)
        inside[columns[0] : columns[1]] = True
        samples = samples & inside
    if not samples.any():
        raise InputError(f"mask: shares no sample with those that {acquisition.source} holds; choose another mask.")
    if (samples != mask.samples).any():
        mask = mask.edited(samples, FILE_EDIT)

    measured = torch.from_numpy(samples).to(device)
    kspace = torch.from_numpy(np.ascontiguousarray(acquisition.kspace, dtype=np.complex64)).to(device) * measured
    if prewhiten:
        kspace = whiten(kspace, whitening_matrix(kspace, measured))
    kept, coils = 1.0, virtual_coils(coils, acquisition.shape)
    if coils is not None and coils < acquisition.coils:
        compression = compress_coils(kspace, coils)
        kspace, kept = compression(kspace), compression.kept_energy
    scale = float(root_sum_of_squares(to_image(kspace)).max())
    if scale == 0:
        raise InputError(f"mask: every sample it keeps of {acquisition.source} is zero; choose another mask.")
    return Measurement(
        kspace=kspace / scale,
        mask=mask,
        scale=scale,
        crop=acquisition.crop,
        source=acquisition.source,
        physical_coils=acquisition.coils,
        kept_energy=kept,
        noise_floor=not acquisition.noise_free_reference if noise_floor is None else noise_floor,
        preparation=Preparation(coils, prewhiten, exclude_padding, noise_floor),
        origin=acquisition.origin,
    )


def reference_image(acquisition: Acquisition) -> NDArray[np.float32] | None:
    """Return the fully sampled magnitude image, cropped: the file's own, or the RSS of complete k-space."""
    if acquisition.reference is not None:
        return np.asarray(centre_crop(acquisition.reference, acquisition.crop), dtype=np.float32)
    if acquisition.mask is not None:
        return None
    full = root_sum_of_squares(to_image(torch.from_numpy(acquisition.kspace))).numpy()
    return np.asarray(centre_crop(full, acquisition.crop), dtype=np.float32)


def zero_filled_image(measurement: Measurement) -> NDArray[np.float32]:
    """Return the root sum of squares of what was measured, with zeros for the rest, cropped, in units of the file."""
    coil_images = torch.fft.ifftn(measurement.kspace, dim=PLANE, norm="ortho")  # not centred, so phase differs
    whole = torch.fft.fftshift(root_sum_of_squares(coil_images), dim=PLANE)
    image = whole.cpu().numpy() * measurement.scale
    return np.ascontiguousarray(centre_crop(image, measurement.crop), dtype=np.float32)
