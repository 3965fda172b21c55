"""napari's "Open Sample": the bundled scans, the phantom and a recorded run, opened in the workbench.

napari wants at least one layer of a sample: it gets the fully sampled image, or the frames as a stack, hidden where the
workbench shows them as well.
"""

from __future__ import annotations

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.gui.contributions.reader import (
    FileKind,
    current_workbench,
    open_in,
    recording_layer,
    slice_layer,
)
from napari_pogmdm.gui.contributions.result_layers import LayerData
from napari_pogmdm.recon.measure import measure
from napari_pogmdm.recon.measurement import reference_image, zero_filled_image
from napari_pogmdm.runs.recording_reader import demo_recording, read_recording


def demo() -> list[LayerData]:
    """Open the bundled scan."""
    return _open_scan("demo")


def radial_demo() -> list[LayerData]:
    """Open the bundled radial scan."""
    return _open_scan("radial-demo")


def phantom() -> list[LayerData]:
    """Open the simulated scan of the Shepp-Logan phantom."""
    return _open_scan("phantom")


def recording() -> list[LayerData]:
    """Open the recorded run of the bundled scan."""
    path = demo_recording()
    workbench = current_workbench()
    if workbench is not None:
        open_in(workbench, path, FileKind.RECORDING)
    data, facts, kind = recording_layer(read_recording(path))
    return [(data, {**facts, "visible": workbench is None}, kind)]


def _open_scan(name: str) -> list[LayerData]:
    workbench = current_workbench()
    if workbench is not None:
        open_in(workbench, name, FileKind.SCAN)
    acquisition = open_scan(name)[0]
    image, words = reference_image(acquisition), "fully sampled"
    if image is None:  # along a trajectory
        image, words = zero_filled_image(measure(acquisition)), "before reconstruction"
    return [slice_layer(acquisition, image, {"name": f"{name}, {words}", "visible": workbench is None})]
