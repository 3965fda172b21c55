"""Trajectories: positions of samples of k-space off the grid, and how they were chosen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.arrays import shapes
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.centre import central

if TYPE_CHECKING:
    from torch import Tensor

    from napari_pogmdm.physics.encoding.toeplitz import ToeplitzEncoding

_EDGE = 0.5  # cycles per pixel: half a turn from one pixel to the next is the finest that a grid can hold
_COMPLETE = 0.95  # of the grid points in a block; where spokes cross, one may lie half a step from all of them
_JUMP = 4.0  # times the usual step between samples: a larger one is the way to the next readout
_NEXT = 1.5  # times the usual step: what goes on so close by, beyond the edge where k-space repeats, is no jump
_FEWEST_READOUTS = 8  # a trajectory in fewer pieces is cut further, so that some can be left out


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """Positions of samples with their history.

    Attributes
    ----------
    positions
        (samples, 2) float32 along rows and columns, in cycles per pixel of the image, from -0.5 up to below 0.5.
    shape
        Rows and columns of the image.
    kind
        The rule that made it, such as "golden-radial", or "file"; "given" for your own array.
    asked_readouts
        Spokes, or arms of a spiral, that the rule was asked for.
    oversampling
        Samples along a readout for each step of the grid, where a rule made it.
    """

    positions: NDArray[np.float32]
    shape: tuple[int, int]
    kind: str = "given"
    asked_readouts: int | None = None
    oversampling: float | None = None

    def __post_init__(self) -> None:
        places = self.positions
        if places.ndim != 2 or places.shape[-1] != 2 or not len(places):
            raise InputError(f"trajectory: has shape {places.shape}, expected (samples, 2) for rows and columns.")
        if not np.isfinite(places).all():
            raise InputError("trajectory: holds NaN or infinite positions; export it again.")
        if places.min() < -_EDGE or places.max() >= _EDGE:
            raise InputError(
                f"trajectory: goes from {places.min():.3g} to {places.max():.3g}, expected cycles per pixel in "
                "[-0.5, 0.5); divide it by the size of the image."
            )
        if not self.on_grid[self.shape[0] // 2, self.shape[1] // 2]:
            raise InputError("trajectory: has no sample in the centre of k-space, without which there is no image.")

    def __repr__(self) -> str:
        return f"<Trajectory for {self.shape[0]} x {self.shape[1]}, {shapes(self.positions)}, {self.describe()}>"

    @property
    def measured(self) -> NDArray[np.bool_]:
        """(samples,): every sample of a trajectory is one that was measured."""
        return np.ones(len(self.positions), dtype=bool)

    @cached_property
    def on_grid(self) -> NDArray[np.bool_]:
        """(rows, columns): points of the grid next to which there is a sample."""
        near = np.zeros(self.shape, dtype=bool)
        down, across = (
            (np.rint(self.positions[:, axis] * size).astype(int) + size // 2) % size
            for axis, size in enumerate(self.shape)
        )
        near[down, across] = True
        return near

    @property
    def acceleration(self) -> float:
        """Points of the grid over those next to which there is a sample."""
        return self.on_grid.size / int(self.on_grid.sum())

    @cached_property
    def centre(self) -> tuple[int, int]:
        """Side, twice, of the largest square in the middle of k-space whose grid points have samples next to them."""
        side = 1
        for wider in range(2, min(self.shape) + 1):
            block = self.on_grid[central(self.shape[0], wider), central(self.shape[1], wider)]
            if block.mean() >= _COMPLETE:
                side = wider
        return side, side

    @property
    def radius(self) -> NDArray[np.float32]:
        """Distance of every sample from the centre in half-widths of k-space, (samples,)."""
        return np.asarray(np.hypot(*self.positions.T) / _EDGE, dtype=np.float32)

    @cached_property
    def readouts(self) -> NDArray[np.intp]:
        """Number of the readout that every sample belongs to, (samples,): a new one begins wherever places jump.

        A single long one is cut into pieces.
        """
        ways = np.diff(self.positions, axis=0)
        steps, around = np.hypot(*ways.T), np.hypot(*(ways - np.round(ways)).T)
        usual = float(np.median(steps)) if len(steps) else 0.0
        jumps = (steps > _JUMP * usual) & (around > _NEXT * usual)
        numbers = np.concatenate(([0], np.cumsum(jumps)))
        if numbers[-1] + 1 >= _FEWEST_READOUTS:
            return numbers
        return np.arange(len(numbers)) // max(1, round(len(numbers) ** 0.5))

    @cached_property
    def weights(self) -> Tensor:
        """Density weights (samples,): the part of k-space, in points of the grid, that every sample stands for."""
        import torch

        from napari_pogmdm.physics.encoding.density import density_weights

        return density_weights(torch.from_numpy(self.positions), self.shape)

    def encoding(self, kept: Tensor, *, compensated: bool = False) -> ToeplitzEncoding:
        """Make the operator from coil images to samples.

        Parameters
        ----------
        kept
            (samples,) or (coils, samples) bool, on the device of the data: what a fit may see.
        compensated
            With density weights, for first images and first coils.
        """
        import torch

        from napari_pogmdm.physics.encoding.toeplitz import ToeplitzEncoding

        weights = kept.cpu() * self.weights if compensated else kept
        return ToeplitzEncoding(torch.from_numpy(self.positions), self.shape, weights, kept.device)

    def point_spread(self) -> NDArray[np.float32]:
        """Magnitude of the density-weighted point-spread function, 1 at the centre of the image."""
        import torch

        from napari_pogmdm.physics.encoding.nufft import adjoint_nufft

        places = torch.from_numpy(self.positions)
        spread = adjoint_nufft(self.weights.to(torch.complex64), places, self.shape).abs().numpy()
        return (spread / spread.max()).astype(np.float32)

    def describe(self) -> str:
        """One line for people."""
        parts = [f"{self.kind} trajectory"]
        if self.asked_readouts is not None:
            parts.append(f"{self.asked_readouts} {'arms' if self.kind == 'spiral' else 'spokes'}")
        parts.append(f"{self.acceleration:.2f}x")
        if self.oversampling is not None and self.oversampling != 1:
            parts.append(f"readouts oversampled {self.oversampling:g} times")
        return ", ".join(parts)
