"""How to make the mask for whatever scan is open."""

from __future__ import annotations

from dataclasses import dataclass, field

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.physics.masks.kinds import LINE_KINDS, make_mask
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.measurement import file_mask

NAMES: dict[str, str] = {
    "auto": "Cartesian, or the scan's own",
    "file": "The scan's own",
    "cartesian": "Cartesian, random lines",
    "fastmri-random": "Cartesian, fastMRI random",
    "fastmri-equispaced": "Cartesian, fastMRI equispaced",
    "fastmri-matched": "Cartesian, fastMRI matched",
    "radial": "Radial spokes",
    "spiral": "Spiral",
    "gaussian": "2-D Gaussian points",
    "poisson": "Poisson disc",
}
"""What people call each kind of mask."""

_OPTIONS: dict[str, frozenset[str]] = {
    **{kind: frozenset({"acceleration", "centre_fraction", "seed", "axis"}) for kind in LINE_KINDS},
    "radial": frozenset({"acceleration"}),
    "spiral": frozenset({"acceleration"}),
    "gaussian": frozenset({"acceleration", "seed"}),
    "poisson": frozenset({"acceleration", "centre_fraction", "seed"}),
}


def options_of(kind: str) -> frozenset[str]:
    """Tell which options a kind of mask listens to."""
    return _OPTIONS.get("cartesian" if kind == "auto" else kind, frozenset())


@dataclass(frozen=True)
class MaskRecipe:
    """Options of `make_mask`, before the size of the scan is known.

    ``kind`` "auto" takes the mask that the scan brings, or else a Cartesian one; "file" insists on the former.
    """

    kind: str = "auto"
    acceleration: float = 4.0
    centre_fraction: float = 0.08
    seed: int = 42
    axis: str = "columns"
    _made: dict[tuple[int, int], Mask] = field(default_factory=dict, init=False, compare=False, repr=False)

    def make(self, acquisition: Acquisition) -> Mask:
        """Make the mask for a slice; for another slice of the same size it is not made anew."""
        if self.kind == "file" or (self.kind == "auto" and acquisition.mask is not None):
            return file_mask(acquisition)
        if acquisition.shape not in self._made:
            kind = "cartesian" if self.kind == "auto" else self.kind
            self._made[acquisition.shape] = make_mask(
                kind, acquisition.shape, self.acceleration, self.centre_fraction, self.seed, self.axis
            )
        return self._made[acquisition.shape]
