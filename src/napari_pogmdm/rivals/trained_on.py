"""What a rival was trained on, and whether a scan is inside that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.physics.sampling import Sampling

_NEAR = 0.25  # relative difference in acceleration that random columns of the same rule have at small sizes
_NEAR_CENTRE = 0.02  # difference in the share of central columns: two or three random neighbours of the centre


@dataclass(frozen=True)
class TrainedOn:
    """What a network has seen.

    Attributes
    ----------
    masks
        Code of its masks, such as "C4/8"; empty if nobody knows.
    anatomy, contrast
        Of its images, for people; empty if nobody knows.
    acceleration, centre_fraction
        Of its masks of whole columns; 0 if nobody knows.
    """

    masks: str = ""
    anatomy: str = ""
    contrast: str = ""
    acceleration: float = 0.0
    centre_fraction: float = 0.0

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TrainedOn:
        """Read what `to_dict` gave; anything else counts as unknown."""
        masks, anatomy, contrast = (str(data.get(name, "")) for name in ("masks", "anatomy", "contrast"))
        given = (data.get(name, 0.0) for name in ("acceleration", "centre_fraction"))
        acceleration, centre = (float(value) if isinstance(value, int | float) else 0.0 for value in given)
        return cls(masks if acceleration > 0 else "", anatomy, contrast, acceleration, centre)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        return asdict(self)

    def describe(self) -> str:
        """Say in a few words what it was trained on."""
        seen = " ".join(word for word in (self.anatomy, self.contrast) if word) or "images unknown to this program"
        return f"{seen}, {self.masks}" if self.masks else f"{seen}, masks unknown"

    def outside(self, sampling: Sampling, anatomy: str = "", contrast: str = "") -> tuple[str, ...]:
        """Say in what a scan differs from what the network has seen; empty where nothing is known to differ.

        Parameters
        ----------
        sampling
            Of the scan.
        anatomy, contrast
            Of the scan, where they are known.
        """
        differing = []
        mask = self._odd_mask(sampling)
        if mask:
            differing.append(mask)
        for known, found, what in ((self.anatomy, anatomy, "anatomy"), (self.contrast, contrast, "contrast")):
            if known and found and known.casefold() != found.casefold():
                differing.append(f"{what} {found} instead of {known}")
        return tuple(differing)

    def _odd_mask(self, sampling: Sampling) -> str:
        if not self.masks:
            return ""
        if not isinstance(sampling, Mask):
            return "a trajectory instead of columns"
        if not (sampling.samples == sampling.samples[:1]).all():
            return "a mask that is not of whole columns"
        if abs(sampling.acceleration / self.acceleration - 1) > _NEAR:
            return f"{sampling.acceleration:.1f}x instead of {self.acceleration:g}x"
        row = sampling.samples[0]
        middle = row.size // 2
        right, left = (np.append(part, False).argmin() for part in (row[middle:], row[:middle][::-1]))
        share = (int(right) + int(left)) / row.size
        if share < self.centre_fraction - _NEAR_CENTRE:
            return f"{100 * share:.0f} % ACS instead of {100 * self.centre_fraction:.0f} %"
        return ""
