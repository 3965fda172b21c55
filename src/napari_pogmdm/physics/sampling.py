"""What masks and trajectories have in common: `Sampling`, which samples of k-space are measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor

    from napari_pogmdm.physics.encoding.encoding import FourierEncoding


class Sampling(Protocol):
    """Which samples are measured: a `Mask` on the grid of k-space, or a `Trajectory` off it.

    What a coil measures is an array over the grid, zero elsewhere, or over the samples of the trajectory; every array
    that is said to be `like the samples` has that shape.
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the image."""
        ...

    @property
    def kind(self) -> str:
        """The rule that made it."""
        ...

    @property
    def measured(self) -> NDArray[np.bool_]:
        """What was measured, like the samples."""
        ...

    @property
    def radius(self) -> NDArray[np.float32]:
        """Distance from the centre in half-widths of k-space, like the samples."""
        ...

    @property
    def acceleration(self) -> float:
        """Points of the grid over those that were measured, or next to which there is a sample."""
        ...

    @property
    def centre(self) -> tuple[int, int]:
        """Rows and columns of the fully sampled block in the middle of k-space."""
        ...

    def encoding(self, kept: Tensor, *, compensated: bool = False) -> FourierEncoding:
        """Make the operator from coil images to samples.

        Parameters
        ----------
        kept
            Bool, like the samples, or with a leading axis of coils: what a fit may see.
        compensated
            With density weights, for first images and first coils; they make no difference on the grid.
        """
        ...

    def point_spread(self) -> NDArray[np.float32]:
        """Magnitude of the point-spread function, (rows, columns), 1 at the centre of the image."""
        ...

    def describe(self) -> str:
        """One line for people."""
        ...
