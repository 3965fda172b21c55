"""An image at a noise level, and what a prior sees in it."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.gui.docks.inspector.responses import analyse, diffused
from napari_pogmdm.prior.weights import load_prior

SIGMA = 0.1


@pytest.fixture(scope="module")
def image():
    return diffused(np.abs(shepp_logan((48, 40))).astype(np.float32), SIGMA)


@pytest.fixture(scope="module", params=["flf-tc", "sh-1"])
def analysis(request, image):
    return analyse(load_prior(request.param), image, SIGMA)
