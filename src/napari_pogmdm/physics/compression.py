"""Coil compression: fewer, virtual coils that keep nearly all of the signal, by an SVD."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError

_SMALLEST = 1e-300  # just above zero in double precision: no signal at all keeps a share of 0, not NaN


@dataclass(frozen=True, eq=False)
class CoilCompression:
    """An orthonormal map from physical to virtual coils.

    Attributes
    ----------
    matrix
        (virtual, physical) complex with orthonormal rows, so white noise stays white.
    kept_energy
        Fraction of the signal energy that the virtual coils carry.
    """

    matrix: Tensor
    kept_energy: float

    def __call__(self, kspace: Tensor) -> Tensor:
        """Compress (coils, rows, columns) or (coils, samples)."""
        return torch.einsum("vc,c...->v...", self.matrix, kspace)


def compress_coils(kspace: Tensor, count: int) -> CoilCompression:
    """Find the ``count`` strongest virtual coils of measured samples (coils, ...) by an SVD."""
    coils = kspace.shape[0]
    if not 1 <= count <= coils:
        raise InputError(f"coils: {count} virtual coils cannot be made from {coils}; choose from 1 to {coils}.")
    samples = kspace.reshape(coils, -1)
    covariance = (samples @ samples.conj().T).cpu().to(torch.complex128)
    energies, vectors = torch.linalg.eigh(covariance)
    energies = energies.clamp_min(0)
    matrix = vectors.flip(-1)[:, :count].conj().T.to(kspace.device, kspace.dtype)
    kept = float(energies.flip(0)[:count].sum() / energies.sum().clamp_min(_SMALLEST))
    return CoilCompression(matrix, kept)
