"""The grid on which images were acquired: scanners fill k-space up with zeros, which shows as a step in the spectrum.

A prior that learns from such images learns that there are no high frequencies. So what was interpolated is brought back
to the size at which it was measured before anything is learned from it. Taking the magnitude of noisy images fills the
empty frequencies again: where noise is strong and little was filled up, no step is left to be seen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_STEP = 0.4  # decades of power; ten volumes without zero-filling have at most 0.29, a knee with it has 0.58
_FIRST = 0.25  # of the highest frequency: below, spectra of anatomy fall steeply by themselves
_LARGEST = 0.95  # of the size: less zero-filling is neither seen with certainty nor harmful
_WINDOW = 64  # parts of the size, one of which is averaged on either side of a step
_LEAST = 48  # pixels; spectra of smaller images are too short to tell a step from anatomy
_MOST_SLICES = 24  # evenly spaced, that are looked at: their mean is smooth enough to see a step of 0.1


def acquired_shape(stack: NDArray[np.float32]) -> tuple[int, int]:
    """Size at which images (slices, rows, columns) were acquired, by the step in their spectrum; else their own."""
    chosen = stack[np.linspace(0, len(stack) - 1, min(len(stack), _MOST_SLICES)).round().astype(int)]
    power = np.abs(np.fft.fft2(chosen)) ** 2
    rows, columns = (_band(power.mean(axis=(0, other))) for other in (2, 1))
    return rows, columns


def _band(power: NDArray[np.float64]) -> int:
    """Frequencies below the step of a power spectrum along one axis; all of them if there is none."""
    size = len(power)
    if size < _LEAST or not power.any():
        return size
    window = max(2, size // _WINDOW)
    level = np.log10(np.maximum(power[: size // 2], power.max() * np.finfo(np.float32).eps ** 2))
    places = range(max(window + 1, int(_FIRST * size / 2)), len(level) - window + 1)
    drops = [float(np.median(level[k - window : k]) - np.median(level[k : k + window])) for k in places]
    if not drops or max(drops) < _STEP:
        return size
    middle = drops.index(max(drops)) + places[0]
    near = range(middle - window, min(middle + window, len(level)))  # the step itself is the steepest place near by
    band = 2 * max(near, key=lambda k: level[k - 1] - level[k])
    return band if band <= _LARGEST * size else size


def on_acquired_grid(stack: NDArray[np.float32]) -> NDArray[np.float32]:
    """Bring zero-filled magnitude images back to their acquired grid; others are returned as they are.

    Parameters
    ----------
    stack
        (slices, rows, columns), not negative.

    Returns
    -------
    (slices, rows, columns) with the acquired number of rows and columns, in the same units.
    """
    shape = acquired_shape(stack)
    if shape == stack.shape[1:]:
        return stack
    spectrum = np.fft.fftshift(np.fft.fft2(stack), axes=(1, 2))
    starts = [
        (old - new) // 2 if (old - new) % 2 == 0 else (old - new + 1) // 2
        for old, new in zip(stack.shape[1:], shape, strict=True)
    ]
    inner = spectrum[:, starts[0] : starts[0] + shape[0], starts[1] : starts[1] + shape[1]]
    scale = shape[0] * shape[1] / (stack.shape[1] * stack.shape[2])
    images = np.fft.ifft2(np.fft.ifftshift(inner, axes=(1, 2))).real * scale
    return np.maximum(images, 0).astype(np.float32)
