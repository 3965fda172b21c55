"""Checks that samples of k-space can be worked with, whatever file they come from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.errors import InputError

# Bounds of the largest sample, far beyond what scanners write; above, sums of squares overflow single precision.
_FAINTEST, _BRIGHTEST = 1e-30, 1e16
_CENTRE_SHARE = 16  # of the grid: a step of undersampling is never that wide, so that some line lies within it

_CENTRED = 4  # columns that may lack on one side more than on the other before padding is called partial Fourier


def check_samples(kspace: NDArray[np.complex64], where: str) -> None:
    """Refuse k-space that holds NaN, nothing, or numbers that no scanner writes.

    Parameters
    ----------
    kspace
        All samples of a slice.
    where
        File and slice, for the message.
    """
    if not np.isfinite(kspace).all():
        raise InputError(f"{where}: kspace holds NaN or infinite samples; the file is damaged, copy it again.")
    largest = float(np.abs(kspace).max()) if kspace.size else 0.0
    if largest == 0:
        raise InputError(f"{where}: all of kspace is zero; choose another slice.")
    if not _FAINTEST < largest < _BRIGHTEST:
        raise InputError(f"{where}: the largest sample is {largest:.1e}, which no scanner writes; copy the file again.")


def own_mask(measured: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Give the mask (rows, columns) of measured samples, or none for a full scan.

    A scan is full, too, whose columns are padded with zeros on both sides alike: they lack resolution, not samples.
    """
    columns = np.flatnonzero(measured.any(axis=0))
    if not len(columns):
        return measured
    first, last = int(columns[0]), int(columns[-1])
    padding = first, measured.shape[1] - 1 - last
    whole = bool(measured[:, first : last + 1].all())
    return None if whole and abs(padding[0] - padding[1]) <= _CENTRED else measured


def check_centre(measured: NDArray[np.bool_], where: str) -> None:
    """Refuse samples (rows, columns) of which none lies near the centre of k-space, without which there is no image."""
    middle = tuple(
        slice(size // 2 - max(1, size // _CENTRE_SHARE), size // 2 + max(1, size // _CENTRE_SHARE) + 1)
        for size in measured.shape
    )
    if not measured[middle].any():
        raise InputError(
            f"{where}: no sample was measured near the centre of k-space, without which there is no image; check which "
            "line the file's header calls the centre."
        )
