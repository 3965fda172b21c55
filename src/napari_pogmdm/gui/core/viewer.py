"""The viewer itself, where napari hands plugins a proxy that hides what begins with an underscore."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from napari.viewer import Viewer


def real_viewer(viewer: Viewer) -> Viewer:
    """Give the viewer behind a proxy, or the viewer that was given."""
    inner: Viewer = getattr(viewer, "__wrapped__", viewer)
    return inner
