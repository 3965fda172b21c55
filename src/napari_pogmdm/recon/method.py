"""Names of the methods of reconstruction."""

from __future__ import annotations

from enum import StrEnum


class Method(StrEnum):
    """A way from a measurement to an image; `napari_pogmdm.recon.methods.reconstruct` runs each by its name."""

    POGMDM = "pogmdm"
    ZERO_FILLED = "zero-filled"
    CG_SENSE = "cg-sense"
    TV = "tv"
    JOINT_TV = "joint-tv"
