"""How to make the mask for whatever scan is open: a rule with its options, a file, or the scan's own mask."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import LINE_KINDS, make_mask
from napari_pogmdm.physics.masks.mask import Mask, load_mask
from napari_pogmdm.physics.masks.names import (
    AUTO,
    DEFAULT_ACCELERATION,
    DEFAULT_AXIS,
    DEFAULT_CENTRE_FRACTION,
    DEFAULT_MASK_SEED,
    OWN,
    Axis,
    MaskKind,
)
from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.recon.sampling.acquire import own_trajectory

NAMES: dict[str, str] = {
    AUTO: "Cartesian, or the scan's own",
    OWN: "The scan's own",
    MaskKind.CARTESIAN.value: "Cartesian, random lines",
    MaskKind.FASTMRI_RANDOM.value: "Cartesian, fastMRI random",
    MaskKind.FASTMRI_EQUISPACED.value: "Cartesian, fastMRI equispaced",
    MaskKind.FASTMRI_MATCHED.value: "Cartesian, fastMRI matched",
    MaskKind.PARTIAL_FOURIER.value: "Cartesian, partial Fourier",
    MaskKind.RADIAL.value: "Radial spokes",
    MaskKind.GOLDEN_RADIAL.value: "Golden-angle spokes",
    MaskKind.SPIRAL.value: "Spiral",
    MaskKind.GAUSSIAN.value: "2-D Gaussian points",
    MaskKind.POISSON.value: "Poisson disc",
}
"""What people call each kind of mask."""

_OPTIONS: dict[str, frozenset[str]] = {
    **{kind: frozenset({"acceleration", "centre_fraction", "seed", "axis"}) for kind in LINE_KINDS},
    MaskKind.RADIAL: frozenset({"acceleration"}),
    MaskKind.GOLDEN_RADIAL: frozenset({"acceleration"}),
    MaskKind.SPIRAL: frozenset({"acceleration"}),
    MaskKind.GAUSSIAN: frozenset({"acceleration", "seed"}),
    MaskKind.POISSON: frozenset({"acceleration", "centre_fraction", "seed"}),
}

_CODE = re.compile(r"(?P<letter>[CRGSP])(?P<acceleration>\d+(?:\.\d+)?)(?:/(?P<acs>\d+(?:\.\d+)?))?(?P<rows>r)?")
_LETTERS = {
    "C": MaskKind.CARTESIAN,
    "R": MaskKind.RADIAL,
    "G": MaskKind.GAUSSIAN,
    "S": MaskKind.SPIRAL,
    "P": MaskKind.POISSON,
}


def options_of(kind: str) -> frozenset[str]:
    """Tell which options a kind of mask listens to."""
    return _OPTIONS.get(MaskKind.CARTESIAN if kind == AUTO else kind, frozenset())


def file_mask(acquisition: Acquisition) -> Mask:
    """Return the mask of a file that is undersampled already."""
    if acquisition.mask is None:
        raise InputError(f"{acquisition.source}: the file is fully sampled and has no mask; choose one.")
    return Mask(acquisition.mask, kind=OWN)


@dataclass(frozen=True)
class MaskRecipe:
    """Options of `make_mask`, before the size of the scan is known.

    Attributes
    ----------
    kind
        One of `MaskKind`; "auto" for the mask that the scan brings, or else a Cartesian one; "file" for the scan's own
        and no other; or the path of a NumPy file that holds a mask.
    acceleration
        Grid points over sampled points to aim for.
    centre_fraction
        Share of fully sampled central lines (ACS).
    seed
        Of the rule's random numbers.
    axis
        Direction of whole lines, one of `Axis`.
    """

    kind: str = AUTO
    acceleration: float = DEFAULT_ACCELERATION
    centre_fraction: float = DEFAULT_CENTRE_FRACTION
    seed: int = DEFAULT_MASK_SEED
    axis: str = DEFAULT_AXIS.value
    _made: dict[tuple[int, int], Mask] = field(default_factory=dict, init=False, compare=False, repr=False)

    @classmethod
    def from_code(cls, code: str) -> MaskRecipe:
        """Read the short name of a mask in tables: C4/8, C4/8r, R11, G8, S5, P6.

        Parameters
        ----------
        code
            The letter is the kind (Cartesian, radial, Gaussian, spiral, Poisson disc), the number after it the
            acceleration, the one after the slash the percentage of central lines (8 if left out), and an ``r`` rotates
            the lines.
        """
        match = _CODE.fullmatch(code.strip())
        if match is None:
            raise InputError(f"masks: cannot read {code!r}; write codes such as C4/8, C4/8r, R11, G8, S5 or T32.")
        return cls(
            kind=_LETTERS[match["letter"]].value,
            acceleration=float(match["acceleration"]),
            centre_fraction=float(match["acs"]) / 100 if match["acs"] else DEFAULT_CENTRE_FRACTION,
            axis=(Axis.ROWS if match["rows"] else DEFAULT_AXIS).value,
        )

    def make(self, acquisition: Acquisition) -> Mask | Trajectory:
        """Make the mask for a slice, or take the one, or the trajectory, that the slice brings."""
        if acquisition.trajectory is not None:
            if self.kind in {AUTO, OWN}:
                return own_trajectory(acquisition)
            raise InputError(f"mask: {acquisition.source} lies along a trajectory of its own; leave the mask out.")
        if self.kind == OWN or (self.kind == AUTO and acquisition.mask is not None):
            return file_mask(acquisition)
        return self.make_for(acquisition.shape)

    def make_for(self, shape: tuple[int, int]) -> Mask:
        """Make the mask for k-space of so many rows and columns; for the same size it is not made anew."""
        if shape not in self._made:
            self._made[shape] = self._new(shape)
        return self._made[shape]

    def _new(self, shape: tuple[int, int]) -> Mask:
        kind = MaskKind.CARTESIAN.value if self.kind == AUTO else self.kind
        if kind not in {*MaskKind} and ("." in kind or "/" in kind):
            return load_mask(Path(kind), shape)
        return make_mask(kind, shape, self.acceleration, self.centre_fraction, self.seed, self.axis)
