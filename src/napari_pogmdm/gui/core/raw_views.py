"""The loaded slice as layers on request: its coil images, its k-space, its full image, and what the mask does."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from psygnal import Signal

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.gui.background.notices import Notice
from napari_pogmdm.gui.background.worker import Worker
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.complex_view import log_magnitude, style_of, view_of
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.runs.roles import Role

ROLES = (Role.KSPACE, Role.COIL_IMAGES)


class RawViews:
    """Computes the views that were asked for, in the background, whenever another slice is loaded.

    Parameters
    ----------
    session
        Whose slice is shown.
    book
        Makes and finds the layers.
    tell, wake
        See `Worker`.

    Attributes
    ----------
    part
        Of the complex coil images that is shown; one of `PARTS`.
    arrived
        Tells that a view was made.
    """

    arrived = Signal()

    def __init__(
        self,
        session: Session,
        book: LayerBook,
        tell: Callable[[Notice], None],
        wake: Callable[[], None],
    ) -> None:
        self._session = session
        self._book = book
        self._workers: dict[str, Worker] = {role: Worker(f"pogmdm {role}", tell, wake) for role in ROLES}
        self.part = "magnitude"
        session.events.acquisition.connect(lambda: self._refresh(ROLES))

    def ask(self, role: str, visible: bool) -> None:
        """Show or hide a view."""
        self._book.ask(role, visible)
        if visible:
            self.make(role)

    def make(self, role: str) -> None:
        """Make the layer of a role if there is none; what takes long comes later."""
        session, book = self._session, self._book
        if book.get(role) is not None:
            return
        if role in self._workers and not self._workers[role].busy:
            self._make(role)
        elif role == Role.POINT_SPREAD and session.preview is not None:
            book.show(role, session.preview.point_spread)
        elif role == Role.REFERENCE and session.reference is not None:
            book.show(role, session.reference)

    def show_part(self, part: str) -> None:
        """Show the coil images' magnitude, phase, real or imaginary part from now on."""
        self.part = part
        self._refresh((Role.COIL_IMAGES,))

    def deliver(self) -> None:
        """Hand over what is finished; called from the window's timer."""
        for worker in self._workers.values():
            worker.deliver()

    def close(self) -> None:
        """End the threads."""
        for worker in self._workers.values():
            worker.close()

    def _refresh(self, roles: Iterable[str]) -> None:
        for role in roles:
            if self._book.get(role) is not None or self._book.wants(role):
                self._make(role)

    def _make(self, role: str) -> None:
        acquisition = self._session.acquisition
        if acquisition is None:
            return
        part = self.part

        def job(cancelled: Callable[[], bool]) -> FloatImage:
            if role == Role.KSPACE:
                return log_magnitude(acquisition.kspace)
            return view_of(to_image(torch.from_numpy(acquisition.kspace)).numpy(), part)

        def arrived(data: FloatImage) -> None:
            if role == Role.COIL_IMAGES:
                self._style(part, data)
            self._book.show(role, data)
            self.arrived.emit()

        self._workers[role].submit(acquisition.source, job, arrived)

    def _style(self, part: str, data: FloatImage) -> None:
        """Give the coil images the colours of their part."""
        layer = self._book.get(Role.COIL_IMAGES)
        name = f"coil images, {part}"
        if layer is None or layer.name != name or layer.data.shape != data.shape:
            self._book.restyle(Role.COIL_IMAGES, style_of(part, name, data), data)
