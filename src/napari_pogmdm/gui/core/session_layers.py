"""What the session holds, as layers: the loaded slice, what its mask does, and the pictures of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from napari_pogmdm.arrays import white_of
from napari_pogmdm.gui.core.canvas import Canvas
from napari_pogmdm.gui.core.captions import EARLIER_RUN, Captions
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.view import COILS, IMAGE, LESSON, RECORDING, RUN, SAMPLING
from napari_pogmdm.runs.display import geometry_of
from napari_pogmdm.runs.roles import LIVE_ROLES, Role
from napari_pogmdm.runs.status import Frame

if TYPE_CHECKING:
    from napari_pogmdm.recon.sampler.request import RunRequest

_MAY_BE_NOISE = (Role.IMAGE, Role.TWEEDIE)
_MOSTLY_WHITE = 0.3  # of the pixels; a finished image has a few of a hundred
_BRIGHTEST = 99  # per cent of the pixels that are below the white of noise


class SessionLayers:
    """Shows slices, previews and frames when it is told to.

    Parameters
    ----------
    session
        What is shown.
    book
        Makes and finds the layers.
    canvas
        Is arranged anew when images of another size appear.
    captions
        Writes the titles.

    Attributes
    ----------
    needed
        Roles of a run that others are made of, whether they are seen or not.
    """

    def __init__(self, session: Session, book: LayerBook, canvas: Canvas, captions: Captions) -> None:
        self._session = session
        self._book = book
        self._canvas = canvas
        self._captions = captions
        self._fresh: set[str] = set()
        self._noisy = False
        self._expected_in = ""
        self.needed: frozenset[str] = frozenset()

    @property
    def wanted(self) -> frozenset[str]:
        """Roles of a run whose pictures somebody looks at."""
        coming = self._canvas.views[RUN].chosen if self._expected_in else ()
        ticked = {role for role in coming if isinstance(role, str) and not self._book.dismissed(role)}
        seen = {role for role in LIVE_ROLES if self._book.wants(role) or role in self.needed or role in ticked}
        return frozenset(seen if self._book.dismissed(Role.IMAGE) else {*seen, Role.IMAGE})  # docks look at it, too

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
        if self._session.reference is None:
            book.set_geometry(replace(book.geometry, white=white_of(preview.zero_filled)))
        self._captions.show_preview()
        book.show(Role.ZERO_FILLED, preview.zero_filled)
        if book.wants(Role.POINT_SPREAD) or book.get(Role.POINT_SPREAD) is not None:
            book.show(Role.POINT_SPREAD, preview.point_spread)
        self._canvas.touch()

    def expect_run(self) -> None:
        """Show the view of a run that begins: at once if it has a picture, else with the first, as black tells nothing.

        A lesson has a view of its own, and whoever looks elsewhere meanwhile stays there.
        """
        self._expected_in = ""
        if self._canvas.shown == LESSON:
            return
        if self._book.get(Role.IMAGE) is None:
            self._expected_in = self._canvas.shown
        else:
            self._canvas.show(RUN)

    def show_frame(self, frame: Frame, *, resting: bool) -> None:
        """Show the pictures of a run.

        Parameters
        ----------
        frame
            What the run, or a recording of it, shows now.
        resting
            Whether nothing else will follow soon, so that there is time for thumbnails.
        """
        limits = self._limits(frame)
        for role, array in frame.arrays.items():
            self._book.show(role, array, thumbnail=resting, limits=limits if role in _MAY_BE_NOISE else None)
        self._fresh |= set(frame.arrays)
        self._session.frame = frame
        expected, self._expected_in = self._expected_in, ""
        if expected and expected == self._canvas.shown:
            self._canvas.show(RUN)

    def _limits(self, frame: Frame) -> tuple[float, float] | None:
        """Give limits at which noise is seen as noise, where most of it would be white; ``None`` to leave them."""
        white, before = self._book.geometry.white, self._noisy
        arrays = [frame.arrays[role] for role in _MAY_BE_NOISE if role in frame.arrays]
        bright = [array for array in arrays if float((array > white).mean()) > _MOSTLY_WHITE]
        self._noisy = bool(bright)
        if bright:
            return 0.0, max(float(np.percentile(array, _BRIGHTEST)) for array in bright)
        return (0.0, white) if before else None

    def write_titles(self, request: RunRequest | None) -> None:
        """Say what the pictures of a run are, and whether they still belong to what the docks show."""
        self._captions.show_run(request, self._fresh)
        self._canvas.touch()

    def mark_outdated(self) -> None:
        """Say that the pictures which stay are those of a run that is no more."""
        self._fresh = set()
        for role in LIVE_ROLES:
            self._book.remark(role, EARLIER_RUN)


def ready_views(session: Session, book: LayerBook, replaying: Callable[[], bool]) -> dict[str, Callable[[], bool]]:
    """Say of views that need no layer to be shown whether they can be.

    Parameters
    ----------
    session, book
        What is open, and which layers there are.
    replaying
        Whether the pictures of a run are those of a recorded one.
    """

    def open_scan() -> bool:
        return session.acquisition is not None

    def live_run() -> bool:
        return not replaying() and (session.status.phase.busy or book.get(Role.IMAGE) is not None)

    return {**dict.fromkeys((IMAGE, SAMPLING, COILS), open_scan), RUN: live_run, RECORDING: replaying}
