"""napari's "Open Sample": the bundled scan and the phantom, opened in the workbench."""

from __future__ import annotations

from typing import Any

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.gui.contributions.result_layers import LayerData
from napari_pogmdm.recon.measurement import reference_image


def demo() -> list[LayerData]:
    """Open the bundled scan."""
    return _open("demo")


def phantom() -> list[LayerData]:
    """Open the simulated scan of the Shepp-Logan phantom."""
    return _open("phantom")


def _open(name: str) -> list[LayerData]:
    """Open a scan in the viewer's workbench; napari wants at least one layer of a sample, and gets the full image."""
    from napari import current_viewer

    from napari_pogmdm.gui.arrangement import reveal
    from napari_pogmdm.gui.core.workbench import Workbench

    acquisition = open_scan(name)[0]
    image = reference_image(acquisition)
    assert image is not None
    viewer = current_viewer()
    if viewer is not None:
        Workbench.of(viewer).loader.open(name)
        reveal(viewer, "Data")
    header = acquisition.header
    facts: dict[str, Any] = {"name": f"{name}, fully sampled", "visible": viewer is None}
    if header.encoded_field_of_view_mm is not None:
        pixel = [mm / n for mm, n in zip(header.encoded_field_of_view_mm, acquisition.shape, strict=True)]
        facts["scale"] = pixel
        facts["units"] = ("mm", "mm")
        facts["translate"] = [
            (whole - shown) // 2 * step
            for whole, shown, step in zip(acquisition.shape, image.shape, pixel, strict=True)
        ]
    return [(image, facts, "image")]
