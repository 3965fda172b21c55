"""Opening a scan by name: a fastMRI file's path, "demo" for the bundled head, or "phantom"."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from napari_pogmdm.data.acquisition import Origin, Scan
from napari_pogmdm.data.bundled import BundledScan
from napari_pogmdm.data.fastmri import FastMRIScan, open_fastmri
from napari_pogmdm.data.simulate import phantom_scan

DEMO_FILE = "head_13_coils.h5"


def demo_scan() -> FastMRIScan:
    """Open the bundled scan: one slice of a real head, 13 coils, fully sampled (see ``data/demo/NOTICE``)."""
    return replace(open_fastmri(Path(__file__).parent / "demo" / DEMO_FILE), known_as=BundledScan.DEMO.value)


def open_scan(source: str | Path) -> Scan:
    """Open ``"demo"``, ``"phantom"`` or a fastMRI file."""
    if source == BundledScan.DEMO:
        return demo_scan()
    if source == BundledScan.PHANTOM:
        scan = phantom_scan()
        return replace(
            scan, slices=tuple(replace(one, origin=Origin(BundledScan.PHANTOM.value, i)) for i, one in enumerate(scan))
        )
    return open_fastmri(Path(source))
