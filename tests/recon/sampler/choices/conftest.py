"""Small scans that fit the model, and what can go wrong with them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.data.acquisition import Acquisition, Header
from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.fourier import to_image, to_kspace
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import Measurement, undersample
from napari_pogmdm.recon.sampler.choices import choose as choosing

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


@pytest.fixture(scope="session")
def head() -> np.ndarray:
    """k-space (6, 112, 96) of a phantom with phase and a little noise."""
    image = shepp_logan(SHAPE) * np.exp(1j * smooth_phase(SHAPE, np.random.default_rng(0)))
    return simulate_scan(image, coils=6, noise=0.005, seed=3).kspace


@pytest.fixture(scope="session")
def wrapped(head) -> np.ndarray:
    """The same with the field of view cut to 60 columns: what lies beyond comes in again on the other side."""
    images = images_of(head)
    folded = np.zeros((6, 112, 60), dtype=np.complex64)
    np.add.at(folded, (slice(None), slice(None), (np.arange(96) - 48 + 30) % 60), images)
    return kspace_of(folded)


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch):
    """Forget what earlier tests chose."""
    monkeypatch.setattr(choosing, "_known", type(choosing._known)())
