"""A prior, a tiny measurement, and a head with its measurement."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import Measurement, undersample

SHAPE = (18, 16)


@pytest.fixture(scope="module")
def prior():
    return load_prior("flf-tc")


@pytest.fixture(scope="module")
def small() -> Measurement:
    image = shepp_logan(SHAPE) * np.exp(1j * smooth_phase(SHAPE, np.random.default_rng(0)))
    return undersample(simulate_scan(image, coils=3, noise=0.01), make_mask("cartesian", SHAPE, 2, 0.25, seed=1))


@pytest.fixture(scope="module")
def head():
    image = shepp_logan((96, 80)) * np.exp(1j * smooth_phase((96, 80), np.random.default_rng(0)))
    scan = simulate_scan(image, coils=6, noise=0.01, seed=2)
    return scan, undersample(scan, make_mask("cartesian", (96, 80), 3, 0.2, seed=3))
