"""Undersampled, normalised data: all that a reconstruction may see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.data.acquisition import Acquisition, Origin, Size, centre_crop
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.compression import compress_coils
from napari_pogmdm.physics.encoding.encoding import FourierEncoding
from napari_pogmdm.physics.fourier import to_image, to_kspace
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.physics.noise import whiten, whitening_matrix
from napari_pogmdm.physics.sampling import Sampling
from napari_pogmdm.recon.sampling.acquire import acquire
from napari_pogmdm.recon.virtual_coils import virtual_coils
from napari_pogmdm.runtime.threads import fixed_blocks


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
        Complex64 on the device of the run, scaled so that the first root-sum-of-squares image has a largest value of 1:
        (coils, rows, columns), zero where nothing was measured, or (coils, samples) along a trajectory.
    sampling
        Which samples were measured: a mask or a trajectory.
    scale
        Multiply an image by this to return to the units of the file.
    crop
        Rows and columns of the middle of the image that is shown.
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
        Bool, like ``kspace``: measured samples that a fit must not see, because it is judged by how it predicts them;
        ``None`` leaves nothing out.
    affine
        (4, 4) that places the cropped image in the patient, as NIfTI has it; ``None`` where the scan does not say.
    protocol
        The file's word for the kind of scan, such as "CORPD_FBK"; empty where it does not say.
    """

    kspace: Tensor
    sampling: Sampling
    scale: float
    crop: Size
    source: str
    physical_coils: int
    kept_energy: float
    noise_floor: bool = False
    preparation: Preparation = Preparation()
    origin: Origin | None = None
    left_out: Tensor | None = None
    affine: NDArray[np.float64] | None = None
    protocol: str = ""

    @property
    def mask(self) -> Mask:
        """The mask, where samples are on the grid."""
        if not isinstance(self.sampling, Mask):
            raise InputError(f"{self.source}: was measured along a trajectory, so it has no mask.")
        return self.sampling

    @property
    def shape(self) -> Size:
        """Rows and columns of the whole image."""
        return self.sampling.shape

    @property
    def coils(self) -> int:
        """How many coils are used."""
        return int(self.kspace.shape[0])

    @property
    def noisy_acceleration(self) -> float:
        """Grid points over samples that hold noise: measured, and not the zeros of a padded column.

        Along a trajectory: what the mean square of noise in the whitened images is smaller by.
        """
        if not self.encoding.uniform:
            return 1 / self.encoding.whitened_share
        noisy = self.measured & (self.kspace != 0).any(dim=0)
        return noisy.numel() / int(noisy.sum())

    def to(self, device: str | torch.device) -> Measurement:
        """Give the measurement on another device."""
        return replace(self, kspace=self.kspace.to(device))

    def __repr__(self) -> str:
        size = f"{self.shape[0]} x {self.shape[1]}, {self.coils} coils"
        return f"<Measurement of {self.source}, {size}, {self.sampling.describe()}, {self.kspace.device}>"

    @property
    def measured(self) -> Tensor:
        """What was measured, like one coil's samples, on the device of the data."""
        return torch.from_numpy(self.sampling.measured).to(self.kspace.device)

    @property
    def fitted(self) -> Tensor:
        """Samples that a fit may see: those that were measured, or with an axis of coils where some are left out."""
        measured = self.measured
        return measured if self.left_out is None else measured & ~self.left_out.to(measured.device)

    @cached_property
    def encoding(self) -> FourierEncoding:
        """The operator from coil images to the samples that a fit may see."""
        return self.sampling.encoding(self.fitted)

    @cached_property
    def compensated(self) -> FourierEncoding:
        """The same with density weights, for first images and first coils."""
        return self.sampling.encoding(self.fitted, compensated=True)

    @property
    def first_images(self) -> Tensor:
        """Coil images (coils, rows, columns) before any reconstruction: zero-filled, or density-compensated."""
        return first_images(self.kspace, self.sampling)

    @property
    def gridded(self) -> Tensor:
        """K-space on the grid, (coils, rows, columns): as measured, or that of the density-compensated images."""
        return self.kspace if self.encoding.uniform else to_kspace(self.first_images)


@fixed_blocks()
def undersample(
    acquisition: Acquisition,
    sampling: Sampling,
    *,
    coils: int | None = None,
    prewhiten: bool = False,
    exclude_padding: bool = False,
    noise_floor: bool | None = None,
    device: str | torch.device = "cpu",
) -> Measurement:
    """Keep the samples of a mask, or sample along a trajectory, and get them ready for reconstruction.

    Parameters
    ----------
    acquisition
        One slice, complete or undersampled already.
    sampling
        Of its shape. A mask keeps of an undersampled slice only what the file holds. A trajectory is the slice's own,
        or it is simulated: samples of a complete slice's coil images.
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
    sampling, kspace = acquire(acquisition, sampling, exclude_padding=exclude_padding)
    kspace = kspace.to(device)
    if prewhiten:
        where = torch.from_numpy(sampling.measured), torch.from_numpy(sampling.radius)
        kspace = whiten(kspace, whitening_matrix(kspace, *where))
    kept, coils = 1.0, virtual_coils(coils, acquisition.shape)
    if coils is not None and coils < acquisition.coils:
        compression = compress_coils(kspace, coils)
        kspace, kept = compression(kspace), compression.kept_energy
    scale = float(root_sum_of_squares(first_images(kspace, sampling)).max())
    if scale == 0:
        raise InputError(f"mask: every sample it keeps of {acquisition.source} is zero; choose another mask.")
    return Measurement(
        kspace=kspace / scale,
        sampling=sampling,
        scale=scale,
        crop=acquisition.crop,
        source=acquisition.source,
        physical_coils=acquisition.coils,
        kept_energy=kept,
        noise_floor=not acquisition.noise_free_reference if noise_floor is None else noise_floor,
        preparation=Preparation(coils, prewhiten, exclude_padding, noise_floor),
        origin=acquisition.origin,
        affine=acquisition.affine,
        protocol=acquisition.header.contrast or "",
    )


def first_images(samples: Tensor, sampling: Sampling) -> Tensor:
    """Coil images (coils, rows, columns) before any reconstruction: zero-filled, or density-compensated.

    Parameters
    ----------
    samples
        (coils, rows, columns), zero where nothing was measured, or (coils, samples) along a trajectory.
    sampling
        Where they are.
    """
    everything = torch.from_numpy(sampling.measured).to(samples.device)
    return sampling.encoding(everything, compensated=True).adjoint(samples)


def reference_image(acquisition: Acquisition) -> NDArray[np.float32] | None:
    """Return the fully sampled magnitude image, cropped: the file's own, or the RSS of complete k-space."""
    if acquisition.reference is not None:
        return np.asarray(centre_crop(acquisition.reference, acquisition.crop), dtype=np.float32)
    if acquisition.mask is not None or acquisition.trajectory is not None:
        return None
    full = root_sum_of_squares(to_image(torch.from_numpy(np.array(acquisition.kspace, dtype=np.complex64)))).numpy()
    return np.asarray(centre_crop(full, acquisition.crop), dtype=np.float32)


def zero_filled_image(measurement: Measurement) -> NDArray[np.float32]:
    """Return the root sum of squares of the first coil images, cropped, in units of the file."""
    image = root_sum_of_squares(measurement.first_images).cpu().numpy() * measurement.scale
    return np.ascontiguousarray(centre_crop(image, measurement.crop), dtype=np.float32)
