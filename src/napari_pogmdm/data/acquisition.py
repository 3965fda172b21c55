"""Scans in memory: `Scan`, a stack of slices, `Acquisition`, one slice of k-space, and its `Header`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.place import Place
from napari_pogmdm.errors import InputError

Size = tuple[int, int]

_EDGE = (-0.5, 0.5)  # cycles per pixel: half a turn from one pixel to the next is the finest that a grid can hold


@dataclass(frozen=True)
class Header:
    """Facts about the acquisition; ``None`` where the file does not say.

    Sizes are (rows, columns) = (readout, phase encoding), the order of the last two axes of k-space.

    Attributes
    ----------
    encoded_matrix
        Samples along the axes of k-space, with readout oversampling and zero padding.
    recon_matrix
        Pixels of the image that a reader wants to see.
    encoded_field_of_view_mm
        What the encoded matrix covers, in millimetres.
    recon_field_of_view_mm
        What the reconstructed matrix covers, in millimetres.
    phase_centre
        Number of the phase-encoding step at zero frequency.
    phase_last
        Number of the last phase-encoding step that was measured; the first is 0.
    contrast
        The file's word for the kind of scan, such as "CORPD_FBK".
    field_strength_tesla
        Of the main magnet.
    """

    encoded_matrix: Size | None = None
    recon_matrix: Size | None = None
    encoded_field_of_view_mm: tuple[float, float] | None = None
    recon_field_of_view_mm: tuple[float, float] | None = None
    phase_centre: int | None = None
    phase_last: int | None = None
    contrast: str | None = None
    field_strength_tesla: float | None = None

    @property
    def acquired_columns(self) -> tuple[int, int] | None:
        """First and one past the last phase-encoding column that the scanner measured; the rest is zero padding."""
        if self.encoded_matrix is None or self.phase_centre is None or self.phase_last is None:
            return None
        first = self.encoded_matrix[1] // 2 - self.phase_centre
        return first, first + self.phase_last + 1

    @property
    def readout_oversampling(self) -> float | None:
        """Encoded over reconstructed field of view (or, failing that, matrix) along the readout."""
        if self.encoded_field_of_view_mm and self.recon_field_of_view_mm:
            return self.encoded_field_of_view_mm[0] / self.recon_field_of_view_mm[0]
        if self.encoded_matrix and self.recon_matrix:
            return self.encoded_matrix[0] / self.recon_matrix[0]
        return None


@dataclass(frozen=True)
class Origin:
    """Where a slice can be read again.

    Attributes
    ----------
    scan
        What `open_scan` takes.
    index
        Of the slice in the scan that it gives.
    options
        How it was read, as `ReadOptions` writes it.
    """

    scan: str
    index: int = 0
    options: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Write as plain data."""
        options = {"options": dict(self.options)} if self.options else {}
        return {"scan": self.scan, "index": self.index, **options}


@dataclass(frozen=True, eq=False, repr=False)
class Acquisition:
    """One slice of measured k-space.

    Attributes
    ----------
    kspace
        (coils, rows, columns) complex64; the centre of k-space is at index ``n // 2`` of each axis. Along a trajectory
        (coils, samples).
    source
        Where it came from, for people: a file name and slice, or "phantom".
    header
        What the file says about itself.
    reference
        (rows, columns) float32 magnitude of the fully sampled image, cropped, where the file has one.
    mask
        (rows, columns) bool of the samples the file holds, for files that are undersampled already.
    noise_free_reference
        Whether the reference is a clean image, as in simulations, and not the root sum of squares of noisy coils.
    origin
        Where it can be read again; ``None`` for data that exist only in memory.
    trajectory
        (samples, 2) float32 for samples off the grid: their positions along (rows, columns) in cycles per pixel of
        the image, from -0.5 up to but not including 0.5. There is no mask then.
    grid
        Rows and columns of the whole image, which a trajectory does not determine.
    remarks
        What was found in the file and done to its samples, a few words each.
    place
        Where the slice lies in the patient, where the file says so.
    """

    kspace: NDArray[np.complex64]
    source: str = "array"
    header: Header = field(default_factory=Header)
    reference: NDArray[np.float32] | None = None
    mask: NDArray[np.bool_] | None = None
    noise_free_reference: bool = False
    origin: Origin | None = None
    trajectory: NDArray[np.float32] | None = None
    grid: Size | None = None
    remarks: tuple[str, ...] = ()
    place: Place | None = None

    def __post_init__(self) -> None:
        if self.trajectory is not None:
            _check_trajectory(self)

    def __repr__(self) -> str:
        parts = ("reference", "mask", "trajectory")
        known = "".join(f", {name}" for name in parts if getattr(self, name) is not None)
        return f"<Acquisition {self.source}, {self.shape[0]} x {self.shape[1]}, {self.coils} coils{known}>"

    @property
    def coils(self) -> int:
        """How many receive channels there are."""
        return int(self.kspace.shape[0])

    @property
    def shape(self) -> Size:
        """Rows and columns of the whole (uncropped) image, and so of k-space on its grid."""
        if self.grid is not None:
            return self.grid
        return int(self.kspace.shape[1]), int(self.kspace.shape[2])

    @property
    def pixel_mm(self) -> tuple[float, float] | None:
        """Height and width of a pixel of the whole image in millimetres, where the header knows its field of view."""
        view = self.header.encoded_field_of_view_mm
        return None if view is None else (view[0] / self.shape[0], view[1] / self.shape[1])

    @property
    def affine(self) -> NDArray[np.float64] | None:
        """Matrix from (column, row, slice) of the cropped image to millimetres right, front and head, as in NIfTI."""
        pixel = self.pixel_mm
        if self.place is None or pixel is None:
            return None
        return self.place.affine(self.shape, self.crop, pixel)

    @property
    def crop(self) -> Size:
        """Rows and columns of the image that a reader wants to see: no oversampling, no padding."""
        matrix = self.header.recon_matrix or self.shape
        wanted = matrix if self.reference is None else self.reference.shape
        return min(wanted[0], self.shape[0]), min(wanted[1], self.shape[1])


def _check_trajectory(acquisition: Acquisition) -> None:
    """Refuse samples and places that do not belong together."""
    places, name = np.asarray(acquisition.trajectory), acquisition.source
    if acquisition.grid is None:
        raise InputError(f"{name}: its trajectory needs the size of the image; give rows and columns.")
    if places.ndim != 2 or places.shape[1] != 2 or acquisition.kspace.shape[1:] != places.shape[:1]:
        raise InputError(
            f"{name}: its trajectory has shape {places.shape}, expected (samples, 2) for k-space of shape "
            f"{acquisition.kspace.shape}, (coils, samples)."
        )
    if acquisition.mask is not None:
        raise InputError(f"{name}: has both a mask and a trajectory; a mask belongs to samples on the grid.")
    if not np.isfinite(places).all():
        raise InputError(f"{name}: its trajectory holds NaN or infinite positions; export it again.")
    if places.size and not (places.min() >= _EDGE[0] and places.max() < _EDGE[1]):
        raise InputError(
            f"{name}: its trajectory goes from {places.min():.3g} to {places.max():.3g}, expected cycles per pixel in "
            "[-0.5, 0.5); divide it by the size of the image."
        )


class Scan(Protocol):
    """A stack of slices that are read when they are asked for."""

    @property
    def name(self) -> str:
        """What to call it."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> Acquisition: ...

    def __iter__(self) -> Iterator[Acquisition]: ...


@dataclass(frozen=True)
class InMemoryScan:
    """A scan whose slices are in memory already, such as a simulated one.

    Attributes
    ----------
    name
        What to call it.
    slices
        Read already, in order.
    """

    name: str
    slices: tuple[Acquisition, ...]

    def __len__(self) -> int:
        return len(self.slices)

    def __getitem__(self, index: int) -> Acquisition:
        check_slice_index(index, len(self), self.name)
        return self.slices[index]

    def __iter__(self) -> Iterator[Acquisition]:
        return iter(self.slices)


def check_slice_index(index: int, count: int, name: str) -> None:
    """Refuse a slice that does not exist, saying which ones do."""
    if not 0 <= index < count:
        raise InputError(f"{name} has no slice {index}: choose one from 0 to {count - 1}.")


def centre_place(shape: tuple[int, ...], size: Size) -> tuple[slice, slice]:
    """Say which rows and columns are the centre of the last two axes, by the rule that fastMRI uses for its targets."""
    rows, columns = (min(wanted, have) for wanted, have in zip(size, shape[-2:], strict=True))
    top, left = (shape[-2] - rows) // 2, (shape[-1] - columns) // 2
    return slice(top, top + rows), slice(left, left + columns)


def centre_crop(image: NDArray[np.generic], size: Size) -> NDArray[np.generic]:
    """Cut the centre of the last two axes to ``size``, see `centre_place`."""
    rows, columns = centre_place(image.shape, size)
    return image[..., rows, columns]
