"""The plugin in one viewer: the session, the background and the layers, and the timer that connects them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from napari.utils.notifications import (
    Notification,
    NotificationSeverity,
    notification_manager,
    show_error,
    show_info,
)
from qtpy.QtCore import QObject, Qt, QTimer, Signal
from qtpy.QtWidgets import QApplication

from napari_pogmdm.gui.background.closing import closing
from napari_pogmdm.gui.background.notices import UNDER_WAY, Notice, NoticeKind
from napari_pogmdm.gui.background.runner import Runner
from napari_pogmdm.gui.background.runner_mail import Update
from napari_pogmdm.gui.core.canvas import Canvas
from napari_pogmdm.gui.core.canvas_frame import CanvasFrame
from napari_pogmdm.gui.core.captions import Captions
from napari_pogmdm.gui.core.hands.hands import CanvasHands
from napari_pogmdm.gui.core.loader import Loader
from napari_pogmdm.gui.core.paint_clock import PaintClock
from napari_pogmdm.gui.core.pins import Pins
from napari_pogmdm.gui.core.player import Player
from napari_pogmdm.gui.core.preferences import NapariStore, Preferences
from napari_pogmdm.gui.core.raw_views import RawViews
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.core.session_layers import SessionLayers, ready_views
from napari_pogmdm.gui.core.viewer import real_viewer
from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.camera import Camera
from napari_pogmdm.gui.layers.graphics_context import delete_where_drawn
from napari_pogmdm.recon.sampler.algorithms.by_name import draws_noise
from napari_pogmdm.recon.sampler.choices.choices import WARNINGS
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.settings import ALIKE
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.status import Phase
from napari_pogmdm.runtime.device import Device
from napari_pogmdm.runtime.threads import rest

if TYPE_CHECKING:
    from napari.viewer import Viewer

    from napari_pogmdm.data.acquisition import Acquisition

_NAME = "pogmdm workbench"  # by which a window's workbench is found again
_TICK_MILLISECONDS = 50  # twice as often as a run that plays posts pictures


class Workbench(QObject):
    """One for each viewer, shared by all docks; `of` finds or makes it.

    Parameters
    ----------
    viewer
        The napari viewer itself, not a proxy.
    window
        Its main window, with which the workbench ends.

    Attributes
    ----------
    viewer
        The napari viewer.
    session
        What the docks read and write.
    book
        The layers, by role.
    layers
        Shows what the session holds in them.
    camera
        Fits layers into the canvas.
    canvas, frame
        Shows one view at a time; the bar that names them, and the titles of panels.
    hands, pins
        What mouse and keys do on it; results that stay to be compared.
    loader
        Loads, masks and measures in the background.
    views
        The loaded slice's coil images and k-space, on request.
    runner
        Steps the sampler in the background.
    player
        Shows recorded runs.
    preferences
        What is kept for the next start.
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
        self.setObjectName(_NAME)
        self.viewer = viewer
        self.session = Session()
        delete_where_drawn(viewer)
        self.book = LayerBook(viewer)
        self.camera = Camera(viewer)
        self.canvas = Canvas(viewer, self.book, self.camera)
        self.layers = SessionLayers(self.session, self.book, self.canvas, Captions(self.session, self.book))
        self.request: RunRequest | None = None
        self._subject: Acquisition | None = None
        self.runner = Runner(self._wake)
        self.loader = Loader(self.session, self.tell, self._wake)
        self.player = Player(self.session, self)
        self.views = RawViews(self.session, self.book, self.tell, self._wake)
        self._clock = PaintClock(viewer.window._qt_viewer.canvas.native)
        self.frame = CanvasFrame(viewer, self.canvas, self.book, self)
        self.preferences = Preferences(self.session, self.loader, NapariStore())
        self._follow_session()
        self.pins = Pins(self)
        self.hands = CanvasHands(self)
        self.woken.connect(self.pump, Qt.ConnectionType.QueuedConnection)  # type: ignore[call-arg]  # not in PyQt's stub
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.pump)
        self._timer.start(_TICK_MILLISECONDS)
        window.destroyed.connect(closing(self.runner, self.loader, self.views))
        application = QApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.close)

    def _follow_session(self) -> None:
        events = self.session.events
        events.scan.connect(lambda: self.book.welcome_back(Role.REFERENCE, Role.ZERO_FILLED, Role.IMAGE))
        events.acquisition.connect(self._show_slice)
        events.preview.connect(self._show_preview)
        for event in (events.measurement, events.prior):
            event.connect(self._write_titles)
        self.book.changed = self._see_layers_change
        self.canvas.make = self.views.make
        self.canvas.ready = ready_views(self.session, self.book, lambda: self.player.active)

    @staticmethod
    def of(viewer: Viewer) -> Workbench:
        """Give the workbench of a viewer, made on first use."""
        inner = real_viewer(viewer)
        window = inner.window._qt_window
        found = window.findChild(QObject, _NAME, Qt.FindChildOption.FindDirectChildrenOnly)
        return found if isinstance(found, Workbench) else Workbench(inner, window)

    def tell(self, notice: Notice) -> None:
        """Show one sentence to the user; where a device was too small, with a button for the CPU."""
        if notice.kind is NoticeKind.MEMORY and self.session.device != Device.CPU:
            way_out = (("Use the CPU", self.use_cpu),)
            notification_manager.dispatch(Notification(notice.text, NotificationSeverity.ERROR, actions=way_out))
        else:
            (show_info if notice.kind is NoticeKind.INFORMATION else show_error)(notice.text)
        self.noticed.emit(notice)

    def use_cpu(self) -> None:
        """Compute on the CPU from now on."""
        self.loader.choose_device(Device.CPU)

    def start(self, phase: Phase) -> bool:
        """Begin a run of what the session holds; says what is missing if it cannot.

        Parameters
        ----------
        phase
            In which the run goes on: paused, playing or running.
        """
        session = self.session
        if session.status.phase.busy:
            self.tell(UNDER_WAY)
            return False
        if session.measurement is None or session.prior is None:
            self.tell(Notice(NoticeKind.ERROR, f"sampler: {session.missing}."))
            return False
        self.player.end()
        self.layers.expect_run()
        self.runner.wanted = self.layers.wanted
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
        self.layers.mark_outdated()

    def cancel(self) -> None:
        """Stop whatever runs and keep what there is."""
        self.loader.cancel()
        if self.session.status.phase.busy:
            self.runner.cancel()
            self.pump()

    def pump(self) -> None:
        """Take what the background has ready; runs in the window's thread."""
        self.loader.deliver()
        self.player.pump()
        self.views.deliver()
        update = self.runner.take()
        if self.player.gives_way(update.status):
            self._apply(update)
        self.canvas.settle()
        self.frame.catch_up()
        for notice in update.notices:
            self.tell(notice)

    def close(self) -> None:
        """End all threads."""
        self._timer.stop()
        self.runner.close()
        self.loader.close()
        self.views.close()
        self.canvas.close()
        self.hands.close()

    def _apply(self, update: Update) -> None:
        session, status = self.session, update.status
        shown = update.frame is not None and self._subject is session.acquisition
        if shown:  # before the curves, which take as long as the picture
            self.runner.frames.rate.painting = self._clock.begin()
        if update.restarted or update.forked is not None:
            session.keep_ghost(self.book.facts(Role.IMAGE))
        if update.restarted:
            session.clear_run()
            self.layers.mark_outdated()
        if update.forked is not None:
            session.forget_after(update.forked)
        if update.result is not None:
            session.result = update.result
        for warning in set(WARNINGS).intersection(status.choices).difference(session.status.choices):
            self.tell(Notice(NoticeKind.INFORMATION, f"sampler: {warning}"))
        session.status = status  # before the numbers, which are drawn at once and mark where the run is
        session.add_points(update.points)
        if update.frame is not None and shown:
            self.layers.show_frame(update.frame, resting=not status.phase.busy)
            self._write_titles()

    def _see_layers_change(self) -> None:
        """Have the background make the pictures that are looked at now."""
        before, self.runner.wanted = self.runner.wanted, self.layers.wanted
        if self.runner.wanted - before and not self.session.status.phase.busy:
            self.runner.refresh()
        self.player.show(again=True)
        self.pins.forget_deleted()
        self.layers_changed.emit()

    def _write_titles(self) -> None:
        if self.session.recording is None:
            self.layers.write_titles(self.request)

    def _show_slice(self) -> None:
        self.session.ghosts = ()
        if self.session.acquisition is None:
            return
        self.player.end()
        if self._subject is not self.session.acquisition:
            self._part_from_run()
        self.layers.show_slice()

    def _show_preview(self) -> None:
        if self.session.preview is not None:
            self.player.end()
            self.layers.show_preview()

    def _part_from_run(self) -> None:
        """Stop a run whose scan or slice is no longer the one that is shown; its result can still be saved."""
        self.layers.mark_outdated()
        if self.session.status.phase.busy and self.request is not None:
            self.runner.cancel()
            self.tell(Notice(NoticeKind.INFORMATION, "sampler: stopped, as another scan or slice was opened."))

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the window may be gone while the background ends
            self.woken.emit()
