"""A simulated head with phase, and a measurement of it."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import Measurement, undersample

SHAPE = (80, 72)


@pytest.fixture(scope="session")
def acquisition() -> Acquisition:
    image = shepp_logan(SHAPE) * np.exp(1j * smooth_phase(SHAPE, np.random.default_rng(0)))
    return simulate_scan(image, coils=6, noise=0.004, seed=1)


@pytest.fixture(scope="session")
def measurement(acquisition: Acquisition) -> Measurement:
    return undersample(acquisition, make_mask("cartesian", SHAPE, 3, 0.16, seed=5))
