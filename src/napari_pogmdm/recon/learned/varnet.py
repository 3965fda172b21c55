"""The end-to-end VarNet as a method: a step for the coils, and one for every cascade."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.rivals.networks.varnet import VarNet
from napari_pogmdm.rivals.weights import RivalModel


@dataclass(frozen=True, eq=False)
class CascadeState:
    """K-space between two cascades.

    Attributes
    ----------
    kspace
        (coils, rows, columns).
    coils
        (coils, rows, columns), after the first step.
    done
        Cascades done.
    """

    kspace: Tensor
    coils: Tensor | None
    done: int


class VarnetMethod:
    """Cascades of refinement and data consistency on the grid.

    Parameters
    ----------
    measurement
        To reconstruct from; on the grid.
    model
        A VarNet.
    """

    def __init__(self, measurement: Measurement, model: RivalModel) -> None:
        refuse_trajectory(measurement, model)
        network = model.network.to(measurement.kspace.device)
        assert isinstance(network, VarNet)
        self._network = network
        self._kspace, self._mask = measurement.kspace, measurement.measured

    @property
    def steps(self) -> int:
        """One for the coils, and one for every cascade."""
        return 1 + len(self._network.cascades)

    def start(self) -> CascadeState:
        """Begin with what was measured."""
        return CascadeState(self._kspace, None, 0)

    def step(self, state: CascadeState) -> CascadeState:
        """Find the coils, or refine k-space by the next cascade."""
        with torch.no_grad():
            if state.coils is None:
                return CascadeState(state.kspace, self._network.sens_net(self._kspace, self._mask), 0)
            cascade = self._network.cascades[state.done]
            found = cascade(state.kspace, self._kspace, self._mask, state.coils)
        return CascadeState(found, state.coils, state.done + 1)

    def estimate(self, state: CascadeState) -> Estimate:
        """Show the root sum of squares of the coil images."""
        return Estimate(root_sum_of_squares(to_image(state.kspace)))


def refuse_trajectory(measurement: Measurement, model: RivalModel) -> None:
    """Say that a network works on the grid alone."""
    if not measurement.encoding.uniform:
        raise InputError(f"{model.shape.kind}: works only on the grid, and {measurement.source} does not lie on it.")
