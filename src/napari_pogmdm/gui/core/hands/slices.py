"""From slice to slice with keys and wheel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from napari_pogmdm.data.dimensions import counters_of, dimensions_of, index_of
from napari_pogmdm.gui.core.session import Session

if TYPE_CHECKING:
    from napari.utils.events import Event
    from napari.viewer import Viewer

    from napari_pogmdm.gui.core.loader import Loader


class Slices:
    """Goes to the slice before or after; keys that come faster than slices are added up.

    Parameters
    ----------
    session
        Whose scan it is.
    loader
        Loads slices.
    """

    def __init__(self, session: Session, loader: Loader) -> None:
        self._session = session
        self._loader = loader
        self._asked: int | None = None
        self._turned = 0.0
        session.events.acquisition.connect(self._arrived)

    def before(self) -> None:
        """Go to the slice before."""
        self.go_by(-1)

    def after(self) -> None:
        """Go to the next slice."""
        self.go_by(1)

    def go_by(self, slices: int) -> None:
        """Go so many slices on, as far as the scan reaches; contrast and repetition stay."""
        scan = self._session.scan
        if scan is None:
            return
        now = self._session.slice_index if self._asked is None else self._asked
        counters = counters_of(scan, now)
        place = int(np.clip(counters["slice"] + slices, 0, dimensions_of(scan)["slice"] - 1))
        wanted = index_of(scan, {**counters, "slice": place})
        if wanted != now:
            self._asked = wanted
            self._loader.load_slice(wanted)

    def wheel(self, viewer: Viewer, event: Event) -> None:
        """Shift and the wheel: upwards to the slice before, as in other viewers."""
        if "Shift" not in event.modifiers:
            return
        self._turned += float(np.clip(np.sum(event.delta), -1, 1))  # some systems turn it sideways with Shift
        whole = int(self._turned)
        if whole:
            self._turned -= whole
            self.go_by(-whole)

    def _arrived(self) -> None:
        self._asked = None
