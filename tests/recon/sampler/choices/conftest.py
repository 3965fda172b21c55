"""Small scans that fit the model, and what can go wrong with them."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.recon.sampler.choices import choose as choosing
from recon.sampler.choices.small_scans import SHAPE, images_of, kspace_of


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
