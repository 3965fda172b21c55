"""Shows the session's recorded run, frame by frame, in the place of a live one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.core.replay import Replay
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.gui.layers.view import LESSON, RECORDING
from napari_pogmdm.prior.weights import list_models
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.runs.display import DisplayGeometry
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.status import Frame, Phase, RunStatus, TracePoint

if TYPE_CHECKING:
    from napari_pogmdm.gui.core.canvas import Canvas
    from napari_pogmdm.gui.core.loader import Loader
    from napari_pogmdm.gui.core.session_layers import SessionLayers
    from napari_pogmdm.gui.layers.book import LayerBook


class ReplayHost(Protocol):
    """What the player needs of the workbench."""

    book: LayerBook
    canvas: Canvas
    layers: SessionLayers
    loader: Loader

    def reset(self) -> None:
        """Forget the run that is under way."""

    def tell(self, notice: Notice) -> None:
        """Say one sentence."""


class Player:
    """Follows ``session.recording`` and ``session.recording_frame``.

    Parameters
    ----------
    session
        Whose run fields it fills while a recorded run is shown.
    host
        Owns the layers and the live run.

    Attributes
    ----------
    replay
        The recorded run that is shown; ``None`` while there is none.
    active
        Whether the session shows a recorded run.
    """

    def __init__(self, session: Session, host: ReplayHost) -> None:
        self.replay: Replay | None = None
        self.active = False
        self._session = session
        self._host = host
        self._forgetting = False
        self._showing = False
        self._hidden: list[str] = []
        session.events.recording.connect(self._opened)
        session.events.recording_frame.connect(self._moved)

    def begin(self, geometry: DisplayGeometry) -> None:
        """Let a recorded run fill the session's run fields; a run that is under way is forgotten."""
        self.active = True
        self._forgetting = self._session.status.phase is not Phase.IDLE
        if self._forgetting:
            self._host.reset()
        self._session.clear_run()
        self._host.book.set_geometry(geometry)

    def show_moment(self, frame: Frame, trace: tuple[TracePoint, ...], status: RunStatus) -> None:
        """Show a moment of a recorded run; nothing happens once the replay has ended.

        Parameters
        ----------
        frame
            Its pictures.
        trace
            Points up to the moment.
        status
            How the run stood.
        """
        if self.active:
            self._session.status = status
            self._session.trace = trace
            self._host.layers.show_frame(frame, resting=False)
            self._host.layers.write_titles(None)

    def end(self) -> None:
        """Give the session back to live runs."""
        if not self.active:
            return
        self.active = self._forgetting = False
        self._session.clear_run()
        self._host.layers.mark_outdated()
        self._host.canvas.back(RECORDING)
        self._host.layers.show_slice()
        self._host.layers.show_preview()
        self.close()

    def gives_way(self, status: RunStatus) -> bool:
        """Whether a live run may be shown; a new one ends the replay, but not what a forgotten one still tells."""
        if not self.active:
            return True
        idle = status.phase is Phase.IDLE
        if self._forgetting or idle:
            self._forgetting = self._forgetting and not idle
            return False
        self.end()
        return True

    def show(self, *, again: bool = False) -> None:
        """Show the current frame; ``again`` also shows what did not change since the last one."""
        if self.replay is None or self._showing:
            return
        wanted = [role for role in self.replay.recording.roles if self._host.book.wants(role)]
        self._present(wanted, again)

    def pump(self) -> None:
        """Make one more of the layers that are not visible yet; called again and again by the window's timer."""
        if self.replay is not None and self._hidden:
            role = self._hidden.pop(0)
            if self._host.book.get(role) is None:
                self._present([role], again=False)

    def close(self) -> None:
        """Forget the recorded run; whatever is shown stays until something else takes its place."""
        self.replay = None
        self._session.recording = None

    def _opened(self) -> None:
        recording = self._session.recording
        self.replay = None
        if recording is None:
            self.end()
            return
        self._set_up(recording.facts.model, dict(recording.facts.settings), recording.facts.chains)
        self.replay = Replay(recording)
        self.begin(self.replay.geometry)
        with self._session.events.recording_frame.blocked():
            self._session.recording_frame = 0
        if self._host.canvas.shown != LESSON:
            self._host.canvas.show(RECORDING)
        self._hidden = [role for role in recording.roles if not self._host.book.wants(role)]
        self.show(again=True)

    def _set_up(self, model: str, settings: dict[str, object], chains: int) -> None:
        """Have the window show the model and the settings of the recorded run, ready to be run again."""
        self._session.settings = SamplerSettings.from_dict(settings)
        self._session.chains = max(1, chains)
        prior = self._session.prior
        loaded = None if prior is None else prior.information.get("source", prior.name)
        if loaded != model and model in {entry.name for entry in list_models()}:
            self._host.loader.load_model(model)

    def _moved(self) -> None:
        if self.replay is not None:
            self.replay.go_to(self._session.recording_frame)
            self.show()

    def _present(self, wanted: list[str], again: bool) -> None:
        replay = self.replay
        if replay is None:
            return
        self._showing = True  # layers that appear tell of it, and would have the frame shown once more
        try:
            frame = replay.frame((Role.IMAGE, *wanted), again=again)  # docks look at the image even while it is hidden
            self.show_moment(frame, replay.trace, replay.status)
        except InputError as error:
            self._host.tell(Notice(NoticeKind.ERROR, f"{replay.recording.name}: {error}"))
            self.close()
        finally:
            self._showing = False
