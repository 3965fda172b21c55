"""Deep J-Sense as a method: a step for every round of coils and image."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from napari_pogmdm.recon.learned.varnet import refuse_trajectory
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.rivals.apply import jsense_scale
from napari_pogmdm.rivals.networks.deep_jsense import DeepJSense
from napari_pogmdm.rivals.weights import RivalModel


@dataclass(frozen=True, eq=False)
class RoundState:
    """Image and coils between two rounds.

    Attributes
    ----------
    image
        In image space, on a grid a little larger than the scan's.
    kernel
        The coils' kernel in k-space.
    done
        Rounds done.
    """

    image: Tensor
    kernel: Tensor
    done: int


class JsenseMethod:
    """Rounds of conjugate gradients and networks.

    Parameters
    ----------
    measurement
        To reconstruct from; on the grid.
    model
        A Deep J-Sense.
    """

    def __init__(self, measurement: Measurement, model: RivalModel) -> None:
        refuse_trajectory(measurement, model)
        network = model.network.to(measurement.kspace.device)
        assert isinstance(network, DeepJSense)
        self._network = network
        self._scale = jsense_scale(measurement.kspace)
        self._kspace, self._mask = measurement.kspace / self._scale, measurement.measured

    @property
    def steps(self) -> int:
        """Rounds."""
        return self._network.rounds

    def start(self) -> RoundState:
        """Begin with the zero-filled image and its coils."""
        return RoundState(*self._network.begin(self._kspace, self._mask), 0)

    def step(self, state: RoundState) -> RoundState:
        """Improve the coils, then the image."""
        with torch.no_grad():
            found = self._network.round(state.done, state.image, state.kernel, self._kspace, self._mask)
        return RoundState(*found, state.done + 1)

    def estimate(self, state: RoundState) -> Estimate:
        """Show the root sum of squares of the coil images."""
        with torch.no_grad():
            return Estimate(self._scale * self._network.finish(state.image, state.kernel, self._kspace))
