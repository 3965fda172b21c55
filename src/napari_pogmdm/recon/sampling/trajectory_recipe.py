"""How to make the trajectory for whatever scan is open: a rule with its options, or a file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.trajectories.file import load_trajectory
from napari_pogmdm.physics.trajectories.kinds import make_trajectory
from napari_pogmdm.physics.trajectories.names import TrajectoryKind
from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.recon.sampling.acquire import refuse_undersampled

TRAJECTORY_NAMES: dict[str, str] = {
    TrajectoryKind.GOLDEN_RADIAL.value: "Golden-angle radial trajectory",
    TrajectoryKind.RADIAL.value: "Radial trajectory",
    TrajectoryKind.SPIRAL.value: "Spiral trajectory",
}
"""What people call each kind of trajectory."""

_CODE = re.compile(r"T(?P<letter>[RS]?)(?P<readouts>\d{1,4})")
_LETTERS = {"": TrajectoryKind.GOLDEN_RADIAL, "R": TrajectoryKind.RADIAL, "S": TrajectoryKind.SPIRAL}


@dataclass(frozen=True)
class TrajectoryRecipe:
    """Options of `make_trajectory`, before the size of the scan is known.

    Attributes
    ----------
    kind
        One of `TrajectoryKind`, or the path of a NumPy file of places.
    readouts
        Spokes, or arms of a spiral; ``None`` for the usual number.
    oversampling
        Samples along a readout for each step of the grid.
    """

    kind: str = TrajectoryKind.GOLDEN_RADIAL.value
    readouts: int | None = None
    oversampling: float = 1.0
    _made: dict[tuple[int, int], Trajectory] = field(default_factory=dict, init=False, compare=False, repr=False)

    @classmethod
    def from_code(cls, code: str) -> TrajectoryRecipe | None:
        """Read the short name of a trajectory in tables: T32 for golden-angle spokes, TR64 for even ones, TS16.

        ``None`` for the code of anything else.
        """
        match = _CODE.fullmatch(code.strip())
        return None if match is None else cls(_LETTERS[match["letter"]].value, int(match["readouts"]))

    def make(self, acquisition: Acquisition) -> Trajectory:
        """Make the trajectory for a slice, whose samples are to be simulated from its complete k-space."""
        if acquisition.trajectory is not None:
            raise InputError(
                f"trajectory: {acquisition.source} was measured along one of its own; leave the option out."
            )
        refuse_undersampled(acquisition)
        return self.make_for(acquisition.shape)

    def make_for(self, shape: tuple[int, int]) -> Trajectory:
        """Make the trajectory for an image of so many rows and columns; for the same size it is not made anew."""
        if shape not in self._made:
            self._made[shape] = self._new(shape)
        return self._made[shape]

    def _new(self, shape: tuple[int, int]) -> Trajectory:
        if self.kind not in {*TrajectoryKind} and ("." in self.kind or "/" in self.kind):
            return load_trajectory(Path(self.kind), shape)
        return make_trajectory(self.kind, shape, self.readouts, oversampling=self.oversampling)
