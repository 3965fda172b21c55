"""The objective of the TV methods, followed over their steps."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from napari_pogmdm.physics.sense import Sense
from napari_pogmdm.recon.classical.joint_tv import JointTotalVariation
from napari_pogmdm.recon.classical.tv import TotalVariation
from napari_pogmdm.recon.classical.variation import total_variation


@pytest.fixture
def objectives(measurement) -> Callable[[TotalVariation | JointTotalVariation], list[float]]:
    """Data term and weighted total variation before each of the first 30 steps of a method."""
    sense = Sense(measurement.measured)

    def follow(stepper: TotalVariation | JointTotalVariation) -> list[float]:
        state, found = stepper.start(), []
        for _ in range(30):
            estimate = stepper.estimate(state)
            assert estimate.coils is not None
            misfit = sense.forward(estimate.image, estimate.coils) - measurement.kspace
            variation = total_variation(estimate.image, stepper.settings.epsilon)[0]
            found.append(float(0.5 * torch.linalg.vector_norm(misfit) ** 2 + stepper.settings.weight * variation))
            state = stepper.step(state)
        return found

    return follow
