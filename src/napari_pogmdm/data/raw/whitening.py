"""Pre-whitening with a noise scan: afterwards the noise of all coils is equal and uncorrelated."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

_SAMPLES_PER_COIL = 4  # with fewer, the covariance between coils would be mostly chance
_MOST_SAMPLES = 1 << 18  # a covariance is known to a part in five hundred then; the rest of the scan is not read
_LOADING = 1e-9  # of the mean power, added to the diagonal: rounding of double precision, so that coils may be copies


def whitening_matrix(noise: Iterable[NDArray[np.complex64]], coils: int) -> tuple[NDArray[np.complex64] | None, str]:
    """Make the matrix (coils, coils) that whitens, keeping the noise's mean power.

    Parameters
    ----------
    noise
        Readouts (coils, samples) of the noise scan.
    coils
        Of the image.

    Returns
    -------
    The matrix, or ``None`` where the noise scan cannot be used; and a sentence about it, empty without a noise scan.
    """
    total = np.zeros((coils, coils), dtype=np.complex128)
    count = 0
    for readout in noise:
        if readout.shape[0] != coils:
            return None, f"not whitened: the noise scan has {readout.shape[0]} coils, the image {coils}"
        if not np.isfinite(readout).all():
            return None, "not whitened: the noise scan holds NaN or infinite samples"
        samples = readout.astype(np.complex128)
        total += samples @ samples.conj().T
        count += readout.shape[1]
        if count >= _MOST_SAMPLES:
            break
    if count == 0:
        return None, ""
    if count < _SAMPLES_PER_COIL * coils:
        return None, f"not whitened: {count} samples of noise are too few for {coils} coils"
    covariance = total / count
    power = float(covariance.diagonal().real.mean())
    if power <= 0 or covariance.diagonal().real.min() <= 0:
        return None, "not whitened: the noise scan is zero in a coil"
    factor = np.linalg.cholesky(covariance + _LOADING * power * np.eye(coils))
    matrix = np.linalg.inv(factor) * np.sqrt(power)
    return matrix.astype(np.complex64), f"whitened with the noise scan ({count} samples a coil)"
