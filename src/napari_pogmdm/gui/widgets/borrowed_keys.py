"""Keys of the viewer that a dock binds while it exists, and gives back."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from napari.viewer import Viewer

Action = Callable[[], None]


class BorrowedKeys:
    """Binds keys on one viewer, before napari's own; `give_back` restores what was there.

    napari hands keys to the viewer only when no text field, slider or button has taken them. While a layer is drawn
    on, Space goes on to mean "hold to move the picture".

    Parameters
    ----------
    viewer
        Whose keys they are.
    actions
        What each key does, by its name for napari.
    """

    def __init__(self, viewer: Viewer, actions: dict[str, Action]) -> None:
        self._viewer = viewer
        self._before = {
            name: viewer.bind_key(name, _binding(name, action), overwrite=True) for name, action in actions.items()
        }

    def give_back(self) -> None:
        """Restore the keys."""
        for name, before in self._before.items():
            self._viewer.bind_key(name, before, overwrite=True)
        self._before = {}


def _binding(name: str, action: Action) -> Callable[[Viewer], Generator[None, None, None]]:
    """Make what napari binds: it runs to the ``yield`` when the key goes down, and on when it comes up."""

    def pressed(viewer: Viewer) -> Generator[None, None, None]:
        layer = viewer.layers.selection.active
        mode = "pan_zoom" if layer is None else str(layer.mode)
        if name != "Space" or mode in {"pan_zoom", "transform"}:
            action()
            yield
            return
        layer.mode = "pan_zoom"
        yield
        layer.mode = mode

    return pressed
