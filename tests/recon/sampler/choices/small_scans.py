"""Measurements of small simulated scans, and of what can go wrong with them."""

from __future__ import annotations

import numpy as np
import torch

from napari_pogmdm.data.acquisition import Acquisition, Header
from napari_pogmdm.physics.fourier import to_image, to_kspace
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import Measurement, undersample

SHAPE = (112, 96)


def scan_of(kspace: np.ndarray) -> Acquisition:
    size = (kspace.shape[1], kspace.shape[2])
    header = Header(encoded_matrix=size, recon_matrix=size)
    return Acquisition(np.ascontiguousarray(kspace, dtype=np.complex64), "test", header)


def lines_of(kspace: np.ndarray, centre: float = 0.2) -> Measurement:
    """Keep every third column and a centre."""
    scan = scan_of(kspace)
    return undersample(scan, make_mask("cartesian", scan.shape, 3, centre, seed=2))


def images_of(kspace: np.ndarray) -> np.ndarray:
    return to_image(torch.from_numpy(kspace)).numpy()


def kspace_of(images: np.ndarray) -> np.ndarray:
    return to_kspace(torch.from_numpy(np.ascontiguousarray(images))).numpy()
