"""Carries out the setup of a lesson's step in the real window, one action after the other, each when it can be done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qtpy.QtCore import QObject, QTimer, Signal
from qtpy.QtWidgets import QAbstractButton, QComboBox, QTabBar, QWidget

from napari_pogmdm.data.sources import DEMO_FILE
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.arrangement import reveal
from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.tour.actions import RENAMED, VERBS, Action
from napari_pogmdm.gui.docks.tour.belongings import Belongings, NumberWidget
from napari_pogmdm.gui.docks.tour.figures.host import FigureHost
from napari_pogmdm.gui.docks.tour.figures.names import OFF
from napari_pogmdm.gui.layers.view import INTENSITIES, LESSON
from napari_pogmdm.gui.widgets.highlight import Highlight
from napari_pogmdm.runs.recording_reader import demo_recording
from napari_pogmdm.runs.status import Phase
from napari_pogmdm.setting_text import with_values

_TICK_MILLISECONDS = 40  # between two looks whether the next action can be done
_PATIENCE_SECONDS = 90.0  # the slowest action, loading and measuring a large scan, takes less
_PATIENCE_FOR_LAYERS = 10.0  # then the others are shown
_BUNDLED = {"demo": DEMO_FILE, "phantom": "phantom"}
_PHASES = {"paused": Phase.PAUSED, "playing": Phase.PLAYING, "running": Phase.RUNNING}


@dataclass(frozen=True)
class _Handler:
    """How an action is done, and when it can be.

    Attributes
    ----------
    do
        Takes the value as `Verb.check` read it.
    ready
        Whether it can be done now.
    patience
        Seconds to wait for that.
    """

    do: Callable[[Any], object]
    ready: Callable[[Any], bool] = lambda value: True
    patience: float = _PATIENCE_SECONDS


class TourGuide(QObject):
    """Works through actions; ``settled`` tells that all are done.

    Parameters
    ----------
    workbench
        Whose session, docks and layers the lessons set up.
    parent
        With which this ends.
    """

    settled = Signal()

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._session = workbench.session
        self._viewer = workbench.viewer
        self.highlight = Highlight(workbench.viewer.window._qt_window)
        self.figures = FigureHost(workbench, self)
        self.belongings = Belongings(workbench)
        self.shows_algorithm = False
        self.step = ""
        self.folder = Path()
        self._actions: list[Action] = []
        self._waiting_since = 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)
        self._handlers = self._known_handlers()

    @property
    def busy(self) -> bool:
        """Whether something is still to be done."""
        return bool(self._actions)

    def carry_out(self, actions: Iterable[Action], folder: Path, step: str = "") -> None:
        """Do these, instead of what is still to be done.

        Parameters
        ----------
        actions
            In order.
        folder
            Beside the lesson, where files are looked for.
        step
            Title of the step that they set up.
        """
        self.belongings.borrow()
        self.folder, self.step = folder, step
        self._actions = list(actions)
        self._waiting_since = time.perf_counter()
        self.highlight.point_at(None)
        self._timer.start(_TICK_MILLISECONDS)
        self._go_on()

    def stop(self) -> None:
        """End the lesson: figures and frame go, and what was borrowed is given back."""
        self._actions = []
        self._timer.stop()
        self.highlight.point_at(None)
        self.figures.show(OFF)
        self._workbench.canvas.back(LESSON)
        self.belongings.give_back()

    def find(self, name: str) -> QWidget | None:
        """Find a widget by its object name, or by its way from a dock through the names of its parts."""
        window = self._viewer.window._qt_window
        named = window.findChild(QWidget, name)
        if named is not None:
            return named
        first, *parts = name.split(".")
        heading = RENAMED.get(first, first)
        here: Any = next((dock for dock in window.findChildren(Dock) if dock.heading == heading), None)
        for part in parts:
            here = here.get(part) if isinstance(here, dict) else getattr(here, part, None)
        return here if isinstance(here, QWidget) else None

    def _go_on(self) -> None:
        while self._actions:
            action = self._actions[0]
            handler, value = self._handlers[action.verb], VERBS[action.verb].check(action.value)
            if not handler.ready(value):
                if time.perf_counter() - self._waiting_since < handler.patience:
                    return
                if handler.patience == _PATIENCE_SECONDS:
                    self._give_up(f"line {action.line}: {action.verb} {action.value} cannot be done now")
                    return
            self._actions.pop(0)
            self._waiting_since = time.perf_counter()
            try:
                handler.do(value)
            except InputError as error:
                self._give_up(f"line {action.line}: {str(error).rstrip('.')}")
                return
        self._timer.stop()
        self.settled.emit()

    def _give_up(self, reason: str) -> None:
        self._actions = []
        self._timer.stop()
        self._workbench.tell(Notice(NoticeKind.ERROR, f"lesson: {reason}."))
        self.settled.emit()

    def _known_handlers(self) -> dict[str, _Handler]:
        session, bench = self._session, self._workbench

        def rested(value: object) -> bool:
            return not bench.loader.busy

        return {
            "open": _Handler(self._open),
            "recording": _Handler(self._open_recording),
            "slice": _Handler(bench.loader.load_slice, rested),
            "coils": _Handler(lambda count: setattr(session, "virtual_coils", count), rested),
            "mask": _Handler(lambda recipe: setattr(session, "mask_request", recipe), rested),
            "model": _Handler(self._load_model),
            "preset": _Handler(lambda settings: setattr(session, "settings", settings)),
            "set": _Handler(lambda pairs: setattr(session, "settings", with_values(session.settings, pairs))),
            "chains": _Handler(lambda count: setattr(session, "chains", count)),
            "seed": _Handler(lambda seed: setattr(session, "seed", seed)),
            "start": _Handler(lambda phase: bench.start(_PHASES[phase]), self._can_start),
            "step": _Handler(self._step, lambda value: session.status.phase in {Phase.PAUSED, Phase.FINISHED}),
            "frame": _Handler(self._go_to_frame, lambda value: rested(value) and bench.player.replay is not None),
            "press": _Handler(self._press, self._can_press),
            "network": _Handler(self._add_network, lambda name: self.find("Compare") is not None),
            "tick": _Handler(self._tick, self._can_tick),
            "turn": _Handler(self._turn, lambda pair: self.find(pair[0]) is not None),
            "show": _Handler(self._show, self._has_layers, _PATIENCE_FOR_LAYERS),
            "grid": _Handler(self._show, self._has_layers, _PATIENCE_FOR_LAYERS),
            "figure": _Handler(lambda name: self.figures.show(name, self.step)),
            "dock": _Handler(lambda name: reveal(self._viewer, RENAMED.get(name, name))),
            "algorithm": _Handler(lambda word: setattr(self, "shows_algorithm", word == "on")),
            "highlight": _Handler(lambda name: self.highlight.point_at(self.find(name))),
        }

    def _open(self, name: str) -> None:
        self._session.recording = None
        shown = self._session.scan
        if shown is None or shown.name != _BUNDLED.get(name, Path(name).name):
            self._workbench.reset()
            self._workbench.loader.open(name if name in _BUNDLED else self.folder / name)

    def _open_recording(self, name: str) -> None:
        shown = self._session.recording
        path = demo_recording() if name == "demo" else self.folder / name
        if shown is None or shown.name != path.name:
            self._workbench.loader.open_recording(path)

    def _load_model(self, name: str) -> None:
        prior = self._session.prior
        if prior is None or prior.information.get("source", prior.name) != name:
            self._workbench.loader.load_model(name)

    def _can_start(self, phase: str) -> bool:
        """Whether a new run may begin; one that is still there is forgotten first."""
        session, bench = self._session, self._workbench
        if bench.loader.busy or session.measurement is None or session.prior is None:
            return False
        if session.status.phase is not Phase.IDLE:
            if bench.request is not None:
                bench.reset()
            return False
        return True

    def _step(self, steps: tuple[bool, int]) -> None:
        whole, count = steps
        for _ in range(count):
            self._workbench.runner.step(whole)

    def _go_to_frame(self, index: int) -> None:
        self._session.recording_frame = index

    def _can_press(self, name: str) -> bool:
        """Whether a button is there, and its dock has finished what came before."""
        widget, dock = self.find(name), self.find(name.split(".")[0])
        return isinstance(widget, QAbstractButton) and widget.isEnabled() and not getattr(dock, "busy", False)

    def _press(self, name: str) -> None:
        widget = self.find(name)
        if isinstance(widget, QAbstractButton) and not (widget.isCheckable() and widget.isChecked()):
            widget.click()

    def _add_network(self, name: str) -> None:
        """Put a checkpoint that lies beside the lesson on the list of the Compare dock."""
        compare: Any = self.find("Compare")
        compare.add_checkpoint(str(self.folder / name))

    def _can_tick(self, labels: tuple[str, ...]) -> bool:
        """Whether the methods are on the list of the Compare dock, and the measurement is there."""
        box: Any = self.find("Compare.methods")
        if box is None or self._session.measurement is None or self._workbench.loader.busy:
            return False
        return set(labels) <= set(box.labels)

    def _tick(self, labels: tuple[str, ...]) -> None:
        box: Any = self.find("Compare.methods")
        for label in box.labels:
            box.tick(label, label in labels)

    def _turn(self, pair: tuple[str, str]) -> None:
        name, value = pair
        widget: Any = self.find(name)
        self.belongings.remember(widget)
        if isinstance(widget, QComboBox):
            index = widget.findText(value)
            if index < 0:
                raise InputError(f"{name} has no entry {value!r}.")
            widget.setCurrentIndex(index)
            widget.activated.emit(index)
        elif isinstance(widget, QTabBar):
            widget.setCurrentIndex(int(_as_number(name, value)))
        elif isinstance(widget, QAbstractButton):
            widget.setChecked(value == "on")
        elif isinstance(widget, NumberWidget):
            amount = _as_number(name, value)
            widget.setValue(int(amount) if isinstance(widget.value(), int) else amount)

    def _has_layers(self, roles: tuple[str, ...]) -> bool:
        if self._workbench.loader.busy:
            return False
        self._workbench.book.welcome_back(*roles)
        self._show(roles)
        return all(self._workbench.book.get(role) is not None for role in roles)

    def _show(self, roles: tuple[str, ...]) -> None:
        """Show these and nothing else; without any, leave what is seen as it is."""
        if roles:
            self._workbench.canvas.present(LESSON, roles, linked=(INTENSITIES,))


def _as_number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InputError(f"{name} needs a number, not {value[:20]!r}.") from None
