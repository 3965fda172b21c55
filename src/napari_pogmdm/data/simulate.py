"""Simulated scans of any image, or of the phantom: receive coils, a Fourier transform, and noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Acquisition, Header, InMemoryScan
from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.errors import InputError

# In half-widths of the field of view. As hypot(1.35, 0.6) > sqrt(2), no wire crosses the field of view, where its field
# would be infinite; loops further away see more alike.
_LOOP_DISTANCE = 1.35
_LOOP_RADIUS = 0.6  # also in half-widths; a wide loop sees deeper, and more of what its neighbours see
_LOOP_SEGMENTS = 24  # straight pieces of wire; with more of them, coils change by less than 1e-5
_COARSE = 64  # pixels a side at which fields are computed before interpolation, which errs by about 1e-5
_MOST_COILS = 128  # more than the largest receive arrays have; time and memory grow with them


def simulated_coils(count: int, shape: tuple[int, int]) -> NDArray[np.complex64]:
    """Sensitivities of ``count`` loops on a ring around the field of view, by the law of Biot and Savart.

    Returns
    -------
    (count, rows, columns) complex64 with a root sum of squares of 1 in every pixel. One coil is a body coil: all ones.
    """
    if not 1 <= count <= _MOST_COILS:
        raise InputError(f"coils: {count} receive coils cannot be simulated; choose from 1 to {_MOST_COILS}.")
    if count == 1:
        return np.ones((1, *shape), dtype=np.complex64)
    rows, columns = (np.linspace(-1, 1, size) for size in shape)
    coarse = tuple(min(size, _COARSE) for size in shape)
    fields = np.stack([_loop_field(2 * np.pi * index / count, coarse) for index in range(count)])
    fields = _resample(_resample(fields, rows, axis=-2), columns, axis=-1)
    return (fields / np.sqrt((np.abs(fields) ** 2).sum(axis=0))).astype(np.complex64)


def _loop_field(angle: float, shape: tuple[int, ...]) -> NDArray[np.complex128]:
    """Transverse field B_x - i B_y that a loop facing the centre from direction ``angle`` makes in the slice z = 0."""
    towards = np.array([np.cos(angle), np.sin(angle), 0.0])
    sideways, up = np.array([-np.sin(angle), np.cos(angle), 0.0]), np.array([0.0, 0.0, 1.0])
    turn = np.linspace(0, 2 * np.pi, _LOOP_SEGMENTS, endpoint=False)[:, None]
    wire = _LOOP_DISTANCE * towards + _LOOP_RADIUS * (np.cos(turn) * sideways + np.sin(turn) * up)
    current = np.cos(turn) * up - np.sin(turn) * sideways
    down, across = np.meshgrid(*(np.linspace(-1, 1, size) for size in shape), indexing="ij")
    points = np.stack([down, across, np.zeros_like(down)], axis=-1)[..., None, :]
    distance = points - wire
    field = np.cross(current, distance) / np.linalg.norm(distance, axis=-1, keepdims=True) ** 3
    total = field.sum(axis=-2)
    return np.asarray(total[..., 0] - 1j * total[..., 1])


def _resample(fields: NDArray[np.complex128], positions: NDArray[np.float64], axis: int) -> NDArray[np.complex128]:
    """Interpolate smooth fields, sampled evenly on [-1, 1], at ``positions`` along one axis."""
    from scipy.interpolate import CubicSpline

    if fields.shape[axis] < 4:  # too few for a cubic, and not coarser than the image anyway
        return fields
    return np.asarray(CubicSpline(np.linspace(-1, 1, fields.shape[axis]), fields, axis=axis)(positions))


def simulate_scan(
    image: NDArray[np.generic], coils: int = 8, noise: float = 0.01, seed: int = 0, name: str = "simulated scan"
) -> Acquisition:
    """Scan a 2-D image, real or complex.

    Parameters
    ----------
    image
        (rows, columns); it is scaled to a largest magnitude of 1.
    coils
        Number of receive coils.
    noise
        Standard deviation of the noise in the real and in the imaginary part of each k-space sample. With the
        orthonormal transform it is also the noise of each coil image.
    seed
        Seed of the noise.
    name
        What to call the scan, also in messages.
    """
    if image.ndim != 2 or min(image.shape) < 2:
        raise InputError(f"{name}: has shape {image.shape}; give one 2-D image to simulate a scan from.")
    if not np.issubdtype(image.dtype, np.number) or not np.isfinite(image).all():
        raise InputError(f"{name}: holds values that are not finite numbers; replace them first.")
    if not (np.isfinite(noise) and noise >= 0):
        raise InputError(f"noise: {noise} is not a standard deviation; give 0 or more.")
    peak = float(np.abs(image).max())
    if peak == 0:
        raise InputError(f"{name}: the image is all zero; choose another one.")
    shape = (int(image.shape[0]), int(image.shape[1]))
    generator = np.random.default_rng(seed)
    scaled = np.asarray(image, dtype=np.complex128) / peak
    coil_images = simulated_coils(coils, shape) * scaled
    drawn = generator.normal(0, noise, (2, *coil_images.shape)) if noise else np.zeros((2, *coil_images.shape))
    axes = (-2, -1)
    centred = np.fft.fftn(np.fft.ifftshift(coil_images, axes=axes), axes=axes, norm="ortho")
    kspace = np.fft.fftshift(centred, axes=axes) + drawn[0] + 1j * drawn[1]
    header = Header(encoded_matrix=shape, recon_matrix=shape)
    clean = np.abs(scaled).astype(np.float32)
    return Acquisition(kspace.astype(np.complex64), name, header, reference=clean, noise_free_reference=True)


def phantom_scan(
    shape: tuple[int, int] = (256, 256), coils: int = 8, signal_to_noise: float = 100.0, seed: int = 0
) -> InMemoryScan:
    """Scan the Shepp-Logan phantom with a random smooth phase.

    ``signal_to_noise`` is the largest image intensity over the noise standard deviation of a real component.
    """
    if not signal_to_noise > 0:
        raise InputError(f"signal-to-noise: {signal_to_noise} is not positive; give a number such as 100.")
    phase = smooth_phase(shape, np.random.default_rng(seed))
    image = shepp_logan(shape) * np.exp(1j * phase)
    slice_ = simulate_scan(image, coils, 1 / signal_to_noise, seed, name="phantom")
    return InMemoryScan("phantom", (slice_,))
