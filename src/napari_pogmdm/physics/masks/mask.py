"""Sampling masks: which samples of k-space are measured, how they were chosen, and masks from files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.arrays import shapes
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file
from napari_pogmdm.physics.masks.centre import full_centre
from napari_pogmdm.reading import read_array

if TYPE_CHECKING:
    from torch import Tensor

    from napari_pogmdm.physics.encoding.grid import GridEncoding

Samples = NDArray[np.bool_]
FILE_EDIT = "kept only what the file holds"


@dataclass(frozen=True, eq=False, repr=False)
class Mask:
    """A sampling mask M with its history.

    Attributes
    ----------
    samples
        (rows, columns) bool; the centre of k-space is at index ``n // 2``.
    kind
        The rule that made it, such as "cartesian", or "file"; "given" for your own array.
    asked_acceleration
        What the user asked for; `acceleration` is what was reached.
    centre_fraction
        Share of fully sampled central lines (ACS), where the rule has them.
    seed
        Of the rule's random numbers.
    axis
        "columns" or "rows" for masks of whole lines.
    edits
        Changes made by hand afterwards, oldest first.
    """

    samples: Samples
    kind: str = "given"
    asked_acceleration: float | None = None
    centre_fraction: float | None = None
    seed: int | None = None
    axis: str | None = None
    edits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.samples.ndim != 2 or self.samples.dtype != np.bool_:
            raise InputError(f"mask: has shape {self.samples.shape}, expected (rows, columns) of true and false.")
        if not self.samples.any():
            raise InputError("mask: marks no sample as measured; lower the acceleration or paint some samples.")

    def __repr__(self) -> str:
        return f"<Mask {shapes(self.samples)}, {self.describe()}>"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.samples.shape[0]), int(self.samples.shape[1])

    @property
    def acceleration(self) -> float:
        """Grid points over sampled points."""
        return self.samples.size / int(self.samples.sum())

    @property
    def centre(self) -> tuple[int, int]:
        """Rows and columns of the largest fully sampled block in the middle; (0, 0) if the very middle is missing."""
        return full_centre(self.samples)

    @property
    def measured(self) -> Samples:
        """The samples, by the name that masks and trajectories share."""
        return self.samples

    @property
    def radius(self) -> NDArray[np.float32]:
        """Distance of every point of the grid from the centre in half-widths of k-space, (rows, columns)."""
        down, across = ((np.arange(size) - size // 2) / (size / 2) for size in self.shape)
        return np.hypot(down[:, None], across).astype(np.float32)

    def encoding(self, kept: Tensor, *, compensated: bool = False) -> GridEncoding:
        """Make the operator from coil images to samples.

        Parameters
        ----------
        kept
            (rows, columns) or (coils, rows, columns) bool, on the device of the data: what a fit may see.
        compensated
            With density weights, which on the grid are all 1.
        """
        from napari_pogmdm.physics.encoding.grid import GridEncoding

        return GridEncoding(kept)

    def point_spread(self) -> NDArray[np.float32]:
        """Magnitude of the mask's point-spread function, 1 at the centre of the image."""
        spread = np.abs(np.fft.fftshift(np.fft.ifftn(np.fft.ifftshift(self.samples))))
        return (spread / spread.max()).astype(np.float32)

    def edited(self, samples: Samples, what: str) -> Mask:
        """Return the mask after a change by hand, with the change in its history."""
        return replace(self, samples=samples, edits=(*self.edits, what))

    def describe(self) -> str:
        """One line for people."""
        parts = [self.kind if self.axis in {None, "columns"} else f"{self.kind}, {self.axis}"]
        parts.append(f"{self.acceleration:.2f}x")
        if self.asked_acceleration is not None:
            parts.append(f"asked {self.asked_acceleration:g}x")
        if self.centre_fraction is not None:
            parts.append(f"{100 * self.centre_fraction:g} % ACS")
        if self.seed is not None:
            parts.append(f"seed {self.seed}")
        if self.edits:
            parts.append(f"{len(self.edits)} edits by hand")
        return ", ".join(parts)


def load_mask(path: Path, shape: tuple[int, int]) -> Mask:
    """Read a mask from a NumPy file: (rows, columns), or (columns,) for whole columns."""
    array = read_array(path, "NumPy mask")
    if array.dtype.kind not in "biuf":
        raise InputError(f"{path}: holds {array.dtype} values, not true and false; save the mask with numpy.save.")
    if array.shape not in {shape, (shape[1],)}:
        raise InputError(f"{path}: the mask has shape {array.shape}, but the scan needs {shape} or ({shape[1]},).")
    if np.isnan(array).any():
        raise InputError(f"{path}: the mask holds NaN, which is neither true nor false; make it again.")
    samples = np.broadcast_to(array != 0, shape).copy()
    if not samples.any():
        raise InputError(f"{path}: the mask marks no sample as measured; draw or choose another one.")
    if samples.all():
        raise InputError(f"{path}: the mask marks every sample as measured, so there is nothing to undersample.")
    return Mask(samples, kind="file", edits=(f"loaded from {path.name}",))


def save_mask(mask: Mask, path: Path) -> None:
    """Write the samples (rows, columns) of a mask as a NumPy file, which `load_mask` reads again."""
    if path.suffix.lower() != ".npy":
        raise InputError(f"{path}: does not end in .npy; masks are saved as NumPy files.")
    with whole_file(path) as stream:
        np.save(stream, mask.samples)
