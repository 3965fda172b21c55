"""Files that are opened or dropped in napari: scans and recorded runs go to the workbench, results become layers."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.data.dimensions import middle_of
from napari_pogmdm.data.hdf5 import open_hdf5
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.contributions.result_layers import Facts, LayerData, result_layers
from napari_pogmdm.gui.layers.placement import in_column
from napari_pogmdm.recon.measurement import reference_image
from napari_pogmdm.runs.display import geometry_of
from napari_pogmdm.runs.recording import SUFFIX, Recording
from napari_pogmdm.runs.recording_reader import read_recording
from napari_pogmdm.runs.roles import Role

if TYPE_CHECKING:
    from napari_pogmdm.gui.core.workbench import Workbench

Paths = str | list[str]
NOTHING_TO_ADD: list[Any] = [(None,)]
"""napari's sign for a file that was read without giving it layers."""


class FileKind(StrEnum):
    """What a file that can be opened holds."""

    SCAN = "scan"
    RESULT = "result"
    RECORDING = "recording"


def get_reader(path: Paths) -> Callable[[Paths], list[Any]]:
    """Answer napari by what a path can be read; the manifest says which paths are asked about."""
    return read


def read(path: Paths) -> list[Any]:
    """Open a scan or a recorded run in the viewer's workbench, or give the layers of a result.

    Without a viewer, layers are given in any case. With one, whatever is wrong with a file becomes one sentence in it.
    """
    file = Path(path[0] if isinstance(path, list) else path)
    workbench = current_workbench()
    if workbench is None:
        return layers_of(file)
    try:
        kind = kind_of(file)
        if kind is FileKind.RESULT:
            return result_layers(file)
    except InputError as error:
        workbench.tell(Notice(NoticeKind.ERROR, str(error)))
        return NOTHING_TO_ADD
    open_in(workbench, file, kind)
    return NOTHING_TO_ADD


def open_path(workbench: Workbench, path: Path) -> None:
    """Open a scan, a result or a recorded run that was chosen in the workbench."""
    try:
        kind = kind_of(path)
        if kind is FileKind.RESULT:
            for data, facts, _ in result_layers(path):
                workbench.viewer.add_image(data, **facts)
            return
    except InputError as error:
        workbench.tell(Notice(NoticeKind.ERROR, str(error)))
        return
    open_in(workbench, path, kind, reveal_dock=False)


def open_in(workbench: Workbench, source: str | Path, kind: FileKind, *, reveal_dock: bool = True) -> None:
    """Open something that the workbench itself shows.

    Parameters
    ----------
    workbench
        Of the viewer.
    source
        A path or, for scans, a name such as "demo".
    kind
        What it is: a scan or a recording.
    reveal_dock
        Whether to bring its dock to the front.
    """
    from napari_pogmdm.gui.arrangement import reveal  # loads Qt, which a reader without a window does without

    if kind is FileKind.RECORDING:
        workbench.loader.open_recording(Path(source))
    else:
        workbench.loader.open(source)
    if reveal_dock:
        reveal(workbench.viewer, "Recordings" if kind is FileKind.RECORDING else "Data")


def current_workbench() -> Workbench | None:
    """Give the workbench of napari's current viewer; ``None`` where napari is used without a window."""
    from napari import current_viewer

    viewer = current_viewer()
    if viewer is None:
        return None
    from napari_pogmdm.gui.core.workbench import Workbench

    return Workbench.of(viewer)


def kind_of(path: Path) -> FileKind:
    """Tell a recording by its name, and a result from a scan by what the file holds."""
    if path.name.endswith(SUFFIX):
        return FileKind.RECORDING
    if path.is_dir() or path.suffix not in {".h5", ".hdf5"}:
        return FileKind.SCAN  # of whatever kind; the loader says what is wrong with it
    with open_hdf5(path) as file:
        return FileKind.RESULT if "reconstruction" in file and "kspace" not in file else FileKind.SCAN


def layers_of(path: Path) -> list[LayerData]:
    """Read a file as layers, for those who use the reader without a window: of a scan, the middle slice."""
    kind = kind_of(path)
    if kind is FileKind.RESULT:
        return result_layers(path)
    if kind is FileKind.RECORDING:
        return [recording_layer(read_recording(path))]
    scan = open_scan(path)
    acquisition = scan[middle_of(scan)]
    image = reference_image(acquisition)
    if image is None:
        raise InputError(f"{path.name}: is undersampled and has no image to show; open it in the workbench.")
    return [slice_layer(acquisition, image, {"name": acquisition.source, "metadata": {"source": str(path)}})]


def slice_layer(acquisition: Acquisition, image: FloatImage, facts: Facts) -> LayerData:
    """Make a layer of the image of a slice, where the workbench would show it.

    Parameters
    ----------
    acquisition
        The slice.
    image
        (rows, columns), cropped.
    facts
        What napari shall know besides where it lies.
    """
    place = in_column(geometry_of(acquisition, image), image.shape, 0, gridded=False)
    where = {"scale": place.scale, "translate": place.translate, "units": place.units}
    return image, {**facts, **where}, "image"


def recording_layer(recording: Recording) -> LayerData:
    """Make one layer of the images of a recorded run, (frames, rows, columns)."""
    pictures = [recording.picture(Role.IMAGE, frame) for frame in range(len(recording))]
    about = recording.facts
    facts = {
        "name": f"{recording.name}, frames",
        "scale": (1.0, *about.pixel),
        "contrast_limits": (0.0, about.white),
        "metadata": {"record": about.record},
    }
    return np.stack([picture for picture in pictures if picture is not None]), facts, "image"
