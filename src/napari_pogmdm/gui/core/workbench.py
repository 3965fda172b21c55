"""The plugin in one viewer: the session, the background and the layers, and the timer that connects them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from napari.utils.notifications import (
    Notification,
    NotificationSeverity,
    notification_manager,
    show_error,
    show_info,
)
from qtpy.QtCore import QObject, Qt, QTimer, Signal
from qtpy.QtWidgets import QApplication

from napari_pogmdm.gui.core.loader import Loader
from napari_pogmdm.gui.core.notices import Notice, NoticeKind
from napari_pogmdm.gui.core.player import Player
from napari_pogmdm.gui.core.preferences import NapariStore, Preferences
from napari_pogmdm.gui.core.raw_views import RawViews
from napari_pogmdm.gui.core.runner import Runner
from napari_pogmdm.gui.core.runner_mail import Update
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.graphics_context import delete_where_drawn
from napari_pogmdm.gui.layers.grid import GridView
from napari_pogmdm.recon.sampler.algorithms import draws_noise
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.settings import ALIKE
from napari_pogmdm.runs.display import DisplayGeometry, geometry_of, white_of
from napari_pogmdm.runs.roles import LIVE_ROLES
from napari_pogmdm.runs.status import Frame, Phase, RunStatus, TracePoint
from napari_pogmdm.runtime.threads import rest

if TYPE_CHECKING:
    from napari.viewer import Viewer

    from napari_pogmdm.data.acquisition import Acquisition

_TICK_MILLISECONDS = 50


class Workbench(QObject):
    """One for each viewer, shared by all docks; `of` finds or makes it.

    Attributes
    ----------
    session
        What the docks read and write.
    book
        The layers.
    grid
        Chosen layers side by side.
    loader
        Loads, masks and measures in the background.
    views
        The loaded slice's coil images and k-space, on request.
    runner
        Steps the sampler in the background.
    player
        Shows recorded runs.
    request
        What the run that the runner holds was asked for; ``None`` before the first and after a reset.
    noticed
        Signal with every `Notice` that was shown.
    layers_changed
        Signal that layers came, went, or were shown or hidden.
    """

    woken = Signal()
    noticed = Signal(object)
    layers_changed = Signal()

    def __init__(self, viewer: Viewer, window: QObject) -> None:
        super().__init__(window)
        self.setObjectName("pogmdm workbench")
        self.viewer = viewer
        self.session = Session()
        delete_where_drawn(viewer)
        self.book = LayerBook(viewer)
        self.grid = GridView(viewer)
        self.request: RunRequest | None = None
        self._subject: Acquisition | None = None
        self.runner = Runner(self._wake)
        self.loader = Loader(self.session, self.tell, self._wake)
        self.player = Player(self.session, self)
        self._replaying = False
        self._forgetting = False
        self.views = RawViews(self.session, self.book, self.show_all, self.tell, self._wake)
        self._preferences = Preferences(self.session, self.loader, NapariStore())
        self.book.changed = self._see_layers_change
        self.session.events.scan.connect(lambda: self.book.welcome_back("reference", "zero-filled", "image"))
        self.session.events.acquisition.connect(self._show_acquisition)
        self.session.events.preview.connect(self._show_preview)
        self.woken.connect(self.pump, Qt.ConnectionType.QueuedConnection)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.pump)
        self._timer.start(_TICK_MILLISECONDS)
        window.destroyed.connect(_closing(self.runner, self.loader, self.views))
        application = QApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.close)

    @staticmethod
    def of(viewer: Viewer) -> Workbench:
        """Give the workbench of a viewer, made on first use; napari may hand plugins a proxy of it."""
        inner: Any = getattr(viewer, "__wrapped__", viewer)
        window = inner.window._qt_window
        found = window.findChild(QObject, "pogmdm workbench", Qt.FindChildOption.FindDirectChildrenOnly)
        return found if isinstance(found, Workbench) else Workbench(inner, window)

    def tell(self, notice: Notice) -> None:
        """Show one sentence to the user; where a device was too small, with a button for the CPU."""
        if notice.kind is NoticeKind.MEMORY and self.session.device != "cpu":
            way_out = (("Use the CPU", self.use_cpu),)
            notification_manager.dispatch(Notification(notice.text, NotificationSeverity.ERROR, actions=way_out))
        else:
            (show_info if notice.kind is NoticeKind.INFORMATION else show_error)(notice.text)
        self.noticed.emit(notice)

    def start(self, phase: Phase) -> bool:
        """Begin a run of what the session holds; says what is missing if it cannot."""
        session = self.session
        if session.status.phase.busy:
            self.tell(Notice(NoticeKind.ERROR, "sampler: a run is under way; pause or cancel it first."))
            return False
        if session.measurement is None:
            missing = "open a scan first" if session.acquisition is None else "the mask is still being applied"
            self.tell(Notice(NoticeKind.ERROR, f"sampler: {missing}."))
            return False
        if session.prior is None:
            self.tell(Notice(NoticeKind.ERROR, "sampler: no model is loaded; choose one in the Model dock."))
            return False
        self.end_replay()
        self.runner.wanted = self._wanted()
        self.request = RunRequest(
            session.measurement, session.prior, session.settings, session.chains, session.seed, session.reference
        )
        self._subject = session.acquisition
        if session.chains > 1 and not draws_noise(session.settings):
            self.tell(Notice(NoticeKind.INFORMATION, ALIKE))
        rest()
        self.runner.start(self.request, phase)
        self.pump()
        return True

    @property
    def under_way(self) -> bool:
        """Whether there is a run of what the session holds, even a finished one; scan, mask and model are its own."""
        request, session = self.request, self.session
        if request is None or (session.status.phase is Phase.IDLE):
            return False
        return request.measurement is session.measurement and request.prior is session.prior

    def reset(self) -> None:
        """Forget the run, so that every setting may change."""
        self.request = None
        self.runner.reset()
        self._date_pictures()

    def cancel(self) -> None:
        """Stop whatever runs and keep what there is."""
        self.loader.cancel()
        if self.session.status.phase.busy:
            self.runner.cancel()
            self.pump()

    @property
    def replaying(self) -> bool:
        """Whether the session shows a recorded run."""
        return self._replaying

    def begin_replay(self, geometry: DisplayGeometry) -> None:
        """Let a recorded run fill the session's run fields; a run that is under way is forgotten."""
        self._replaying = True
        self._forgetting = self.session.status.phase is not Phase.IDLE
        if self._forgetting:
            self.reset()
        self._clear_run()
        self.book.set_geometry(geometry.whole, geometry.pixel, geometry.white, geometry.unit)

    def replay(self, frame: Frame, trace: tuple[TracePoint, ...], status: RunStatus) -> None:
        """Show a moment of a recorded run; nothing happens once the replay has ended."""
        if self._replaying:
            self.session.status = status
            self.session.trace = trace
            self._show_frame(frame, resting=False)

    def end_replay(self) -> None:
        """Give the session back to live runs."""
        if not self._replaying:
            return
        self._replaying = self._forgetting = False
        self._clear_run()
        self._date_pictures()
        self._show_acquisition()
        self._show_preview()
        self.player.close()

    def pump(self) -> None:
        """Take what the background has ready; runs in the window's thread."""
        self.loader.deliver()
        self.player.pump()
        self.views.deliver()
        self._apply(self.runner.take())

    def close(self) -> None:
        """End all threads."""
        self._timer.stop()
        self.runner.close()
        self.loader.close()
        self.views.close()

    def show_all(self) -> None:
        """Fit everything that is visible into the canvas."""
        self.fit([layer for layer in self.viewer.layers if layer.visible])

    def use_cpu(self) -> None:
        """Compute on the CPU from now on."""
        self.loader.choose_device("cpu")

    def _apply(self, update: Update) -> None:
        session = self.session
        if self._replaying and not self._gives_way(update):
            for notice in update.notices:
                self.tell(notice)
            return
        if update.restarted:
            self._clear_run()
            self._date_pictures()
        if update.forked is not None:
            here = update.forked
            session.trace = tuple(point for point in session.trace if point.moment <= here)
            session.result = None
        if update.result is not None:
            session.result = update.result
        session.status = update.status  # before the figures, which are drawn at once and mark where the run is
        if update.points:
            session.trace = _appended(session.trace, update.points)
        if update.frame is not None and self._subject is session.acquisition:
            self._show_frame(update.frame, resting=not update.status.phase.busy)
            stopped = update.status.phase is Phase.STOPPED
            self.book.remark("image", f"stopped at step {update.status.iteration}" if stopped else "")
        for notice in update.notices:
            self.tell(notice)

    def _gives_way(self, update: Update) -> bool:
        """Whether a new run ends the replay; what a forgotten run still has to say does not."""
        idle = update.status.phase is Phase.IDLE
        if self._forgetting or idle:
            self._forgetting = self._forgetting and not idle
            return False
        self.end_replay()
        return True

    def _clear_run(self) -> None:
        self.session.trace = ()
        self.session.frame = None
        self.session.result = None

    def _date_pictures(self) -> None:
        """Say that the pictures which stay are those of a run that is no more."""
        for role in LIVE_ROLES:
            self.book.remark(role, "earlier run")

    def _show_frame(self, frame: Frame, *, resting: bool) -> None:
        for role, array in frame.arrays.items():
            self.book.show(role, array, thumbnail=resting)
            self.book.remark(role)
        self.session.frame = frame

    def _wanted(self) -> frozenset[str]:
        return frozenset(role for role in LIVE_ROLES if self.book.wants(role))

    def _see_layers_change(self) -> None:
        """Have the background make the pictures that are looked at now."""
        before, self.runner.wanted = self.runner.wanted, self._wanted()
        if self.runner.wanted - before and not self.session.status.phase.busy:
            self.runner.refresh()
        self.player.show(again=True)
        self.layers_changed.emit()

    def _show_acquisition(self) -> None:
        acquisition, reference = self.session.acquisition, self.session.reference
        if acquisition is None:
            return
        self.end_replay()
        if self._subject is not acquisition:
            self._part_from_run()
        geometry = geometry_of(acquisition, reference, self.book.white)
        self.book.set_geometry(geometry.whole, geometry.pixel, geometry.white, geometry.unit)
        if reference is None:
            self.book.remove("reference")
        else:
            self.book.show("reference", reference)

    def _part_from_run(self) -> None:
        """Stop a run whose scan or slice is no longer the one that is shown; its result can still be saved."""
        self._date_pictures()
        if self.session.status.phase.busy and self.request is not None:
            self.runner.cancel()
            self.tell(Notice(NoticeKind.INFORMATION, "sampler: stopped, as another scan or slice was opened."))

    def _show_preview(self) -> None:
        preview = self.session.preview
        if preview is None:
            return
        self.end_replay()
        old = self.book.get("zero-filled")
        resized = old is None or old.data.shape != preview.zero_filled.shape
        if self.session.reference is None:
            self.book.set_geometry(self.book.whole, self.book.pixel, white_of(preview.zero_filled))
        layer = self.book.show("zero-filled", preview.zero_filled)
        if self.book.wants("point spread") or self.book.get("point spread") is not None:
            self.book.show("point spread", preview.point_spread)
        if resized and layer is not None:
            self.fit([layer])

    def fit(self, layers: list[Any]) -> None:
        """Fit layers into the canvas; napari itself cannot fit flat layers alone while there are deeper ones."""
        alone = any(layer.ndim == self.viewer.dims.ndim for layer in layers)
        self.viewer.fit_to_view(layers=layers if alone else None)
        if layers and not alone and self.viewer.dims.ndisplay == 2:
            low = np.min([layer.extent.world[0, -2:] for layer in layers], axis=0)
            high = np.max([layer.extent.world[1, -2:] for layer in layers], axis=0)
            whole = self.viewer.layers.extent.world[:, -2:]
            everything = np.maximum(whole[1] - whole[0], 1e-9)
            camera = getattr(self.viewer, "scene", self.viewer).camera
            camera.center = (*camera.center[:-2], *((low + high) / 2))
            camera.zoom *= float(np.min(everything / np.maximum(high - low, 1e-9)))

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the window may be gone while the background ends
            self.woken.emit()


def _closing(*backgrounds: Runner | Loader | RawViews) -> Any:
    """Make a callback that ends the threads without touching the window, which is gone by then."""

    def close() -> None:
        for background in backgrounds:
            background.close()

    return close


def _appended(trace: tuple[Any, ...], points: tuple[Any, ...]) -> tuple[Any, ...]:
    """Join a trace and new points; a moment that is measured again counts once."""
    kept = [point for point in trace if point.moment < points[0].moment]
    return (*kept, *points)
