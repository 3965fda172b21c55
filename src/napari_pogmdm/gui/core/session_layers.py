"""What the session holds, as layers: the loaded slice, what its mask does, and the pictures of a run."""

from __future__ import annotations

from dataclasses import replace

from napari_pogmdm.arrays import white_of
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.camera import Camera
from napari_pogmdm.runs.display import geometry_of
from napari_pogmdm.runs.roles import LIVE_ROLES, Role
from napari_pogmdm.runs.status import Frame


class SessionLayers:
    """Shows slices, previews and frames when it is told to.

    Parameters
    ----------
    session
        What is shown.
    book
        Makes and finds the layers.
    camera
        Is moved when images of another size appear.
    """

    def __init__(self, session: Session, book: LayerBook, camera: Camera) -> None:
        self._session = session
        self._book = book
        self._camera = camera

    @property
    def wanted(self) -> frozenset[str]:
        """Roles of a run whose pictures somebody looks at."""
        return frozenset(role for role in LIVE_ROLES if self._book.wants(role))

    def show_slice(self) -> None:
        """Show the fully sampled image of the loaded slice, where it has one."""
        acquisition, reference = self._session.acquisition, self._session.reference
        if acquisition is None:
            return
        self._book.set_geometry(geometry_of(acquisition, reference, self._book.geometry.white))
        if reference is None:
            self._book.remove(Role.REFERENCE)
        else:
            self._book.show(Role.REFERENCE, reference)

    def show_preview(self) -> None:
        """Show what the mask does to the slice."""
        preview, book = self._session.preview, self._book
        if preview is None:
            return
        old = book.get(Role.ZERO_FILLED)
        resized = old is None or old.data.shape != preview.zero_filled.shape
        if self._session.reference is None:
            book.set_geometry(replace(book.geometry, white=white_of(preview.zero_filled)))
        layer = book.show(Role.ZERO_FILLED, preview.zero_filled)
        if book.wants(Role.POINT_SPREAD) or book.get(Role.POINT_SPREAD) is not None:
            book.show(Role.POINT_SPREAD, preview.point_spread)
        if resized and layer is not None:
            self._camera.fit([layer])

    def show_frame(self, frame: Frame, *, resting: bool) -> None:
        """Show the pictures of a run.

        Parameters
        ----------
        frame
            What the run, or a recording of it, shows now.
        resting
            Whether nothing else will follow soon, so that there is time for thumbnails.
        """
        for role, array in frame.arrays.items():
            self._book.show(role, array, thumbnail=resting)
            self._book.remark(role)
        self._session.frame = frame

    def mark_outdated(self) -> None:
        """Say that the pictures which stay are those of a run that is no more."""
        for role in LIVE_ROLES:
            self._book.remark(role, "earlier run")
