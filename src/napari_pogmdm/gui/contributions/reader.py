"""Files that are opened or dropped in napari: scans go to the workbench, results become layers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from napari_pogmdm.data.acquisition import centre_crop
from napari_pogmdm.data.fastmri import open_fastmri
from napari_pogmdm.data.hdf5 import open_hdf5
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.contributions.result_layers import LayerData, result_layers
from napari_pogmdm.gui.core.notices import Notice, NoticeKind
from napari_pogmdm.recon.measurement import reference_image
from napari_pogmdm.runs.recording import SUFFIX

if TYPE_CHECKING:
    from napari_pogmdm.gui.core.workbench import Workbench

NOTHING_TO_ADD: list[Any] = [(None,)]
"""napari's sign for a file that was read without giving it layers."""


def get_reader(path: str | list[str]) -> Callable[[str | list[str]], list[Any]] | None:
    """Answer napari whether a path can be read here, and by what; recorded runs have a reader of their own."""
    first = path[0] if isinstance(path, list) else path
    return None if first.endswith(SUFFIX) else read


def read(path: str | list[str]) -> list[Any]:
    """Open a scan in the viewer's workbench, or give a result's layers; without a viewer, give layers in any case.

    Whatever is wrong with a file becomes one sentence in the viewer.
    """
    from napari import current_viewer

    file = Path(path[0] if isinstance(path, list) else path)
    viewer = current_viewer()
    if viewer is None:
        return result_layers(file) if kind_of(file) == "result" else scan_layers(file)
    from napari_pogmdm.gui.arrangement import reveal
    from napari_pogmdm.gui.core.workbench import Workbench

    workbench = Workbench.of(viewer)
    try:
        if kind_of(file) == "result":
            return result_layers(file)
    except InputError as error:
        workbench.tell(Notice(NoticeKind.ERROR, str(error)))
        return NOTHING_TO_ADD
    workbench.loader.open(file)
    reveal(viewer, "Data")
    return NOTHING_TO_ADD


def open_path(workbench: Workbench, path: Path) -> None:
    """Open a scan, a result or a recorded run that was chosen or dropped."""
    try:
        if path.name.endswith(SUFFIX):
            workbench.loader.open_recording(path)
        elif kind_of(path) == "scan":
            workbench.loader.open(path)
        else:
            for data, facts, _ in result_layers(path):
                workbench.viewer.add_image(data, **facts)
    except InputError as error:
        workbench.tell(Notice(NoticeKind.ERROR, str(error)))


def kind_of(path: Path) -> str:
    """Tell a result from a scan by what the file holds."""
    with open_hdf5(path) as file:
        return "result" if "reconstruction" in file and "kspace" not in file else "scan"


def scan_layers(path: Path) -> list[LayerData]:
    """Read the middle slice of a scan as its fully sampled image; for those who use the reader without a window."""
    scan = open_fastmri(path)
    acquisition = scan[len(scan) // 2]
    image = reference_image(acquisition)
    if image is None:
        raise InputError(f"{path.name}: is undersampled and has no image to show; open it in the workbench.")
    view = acquisition.header.encoded_field_of_view_mm
    pixel = (1.0, 1.0) if view is None else tuple(mm / n for mm, n in zip(view, acquisition.shape, strict=True))
    shown = centre_crop(image, acquisition.crop)
    return [(shown, {"name": acquisition.source, "scale": pixel, "metadata": {"source": str(path)}}, "image")]
