"""Recorded runs that are dropped on napari, or chosen among its samples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from napari_pogmdm.runs.recording import SUFFIX, Recording
from napari_pogmdm.runs.recording_reader import demo_recording, read_recording

_NOTHING_TO_ADD: list[Any] = [(None,)]


def get_reader(path: str | list[str]) -> Callable[[str | list[str]], list[Any]] | None:
    """Answer napari whether a path can be read here, and by what."""
    first = path[0] if isinstance(path, list) else path
    return read if first.endswith(SUFFIX) else None


def read(path: str | list[str]) -> list[Any]:
    """Open a recorded run in the viewer's workbench; without a viewer, give its images as one layer."""
    file = Path(path[0] if isinstance(path, list) else path)
    return _NOTHING_TO_ADD if _opened(file) else [_stack(read_recording(file))]


def demo() -> list[Any]:
    """Open the recorded run of the bundled scan; napari wants a layer of a sample, and gets the frames as a stack."""
    shown = _opened(demo_recording())
    data, facts, kind = _stack(read_recording(demo_recording()))
    return [(data, {**facts, "visible": not shown}, kind)]


def _opened(path: Path) -> bool:
    from napari import current_viewer

    viewer = current_viewer()
    if viewer is None:
        return False
    from napari_pogmdm.gui.arrangement import reveal
    from napari_pogmdm.gui.core.workbench import Workbench

    Workbench.of(viewer).loader.open_recording(path)
    reveal(viewer, "Recordings")
    return True


def _stack(recording: Recording) -> tuple[Any, dict[str, Any], str]:
    pictures = [recording.picture("image", frame) for frame in range(len(recording))]
    facts = recording.facts
    layer = {
        "name": f"{recording.name}, frames",
        "scale": (1.0, *facts.pixel),
        "contrast_limits": (0.0, facts.white),
        "metadata": {"record": facts.record},
    }
    return np.stack([picture for picture in pictures if picture is not None]), layer, "image"
