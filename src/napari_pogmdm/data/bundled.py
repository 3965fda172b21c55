"""Names of the scans that need no file."""

from __future__ import annotations

from enum import StrEnum


class BundledScan(StrEnum):
    """A scan that `napari_pogmdm.data.sources.open_scan` opens by its name."""

    DEMO = "demo"
    RADIAL_DEMO = "radial-demo"
    PHANTOM = "phantom"
