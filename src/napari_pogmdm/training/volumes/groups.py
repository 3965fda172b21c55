"""Drawing training slices: every group equally often, every volume within a group, and every slice within a volume."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.training.volumes.slices import VolumeSlices


class SliceGroups:
    """Slices to train on, by group and volume.

    Parameters
    ----------
    volumes
        Split slices; those to train on are used.
    least_side
        Slices with fewer rows or columns are left out.
    """

    def __init__(self, volumes: Sequence[VolumeSlices], least_side: int) -> None:
        groups: dict[str, list[list[FloatImage]]] = {}
        for volume in volumes:
            images = [image for image in volume.train if min(image.shape) >= least_side]
            if images:
                groups.setdefault(volume.group or volume.name, []).append(images)
        self._groups = list(groups.values())

    def __bool__(self) -> bool:
        return bool(self._groups)

    def draw(self, rng: np.random.Generator) -> FloatImage:
        """Draw a slice (rows, columns)."""
        volumes = self._groups[rng.integers(len(self._groups))]
        images = volumes[rng.integers(len(volumes))]
        return images[rng.integers(len(images))]
