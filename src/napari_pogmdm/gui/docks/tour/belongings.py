"""What a lesson borrows from the user and gives back: scan, mask, model, settings, view, and widgets that it turned."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from qtpy.QtWidgets import QAbstractButton, QComboBox, QTabBar, QWidget

from napari_pogmdm.data.acquisition import Scan
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.layers.view import IMAGE
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.recon.sampling.trajectory_recipe import TrajectoryRecipe
from napari_pogmdm.runs.roles import LIVE_ROLES
from napari_pogmdm.runs.status import Frame


@runtime_checkable
class NumberWidget(Protocol):
    """Any of the many sliders and spin boxes."""

    def value(self) -> float:
        """Give what it shows."""

    def setValue(self, value: float) -> None:  # noqa: N802 - Qt's name
        """Show a number."""


@dataclass(frozen=True, eq=False)
class _Before:
    """How the window was before the first step."""

    settings: SamplerSettings
    chains: int
    seed: int
    mask: MaskRecipe | TrajectoryRecipe | Mask
    coils: int
    model: str
    scan: Scan | None
    index: int
    view: str
    frame: Frame | None
    widgets: dict[QWidget, Callable[[], object]] = field(default_factory=dict)


class Belongings:
    """Remembers how things were when a lesson began, and puts them back when it is left.

    Nothing that a lesson sets is kept for the next start, even if the window is closed in the middle of it.

    Parameters
    ----------
    workbench
        Whose session, model and preferences are borrowed.
    """

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._before: _Before | None = None

    @property
    def borrowed(self) -> bool:
        """Whether a lesson is under way."""
        return self._before is not None

    def borrow(self) -> None:
        """Remember how things are, unless a lesson is under way already."""
        if self._before is not None:
            return
        session = self._workbench.session
        self._workbench.preferences.paused = True
        self._before = _Before(
            session.settings,
            session.chains,
            session.seed,
            session.mask_request,
            session.virtual_coils,
            "" if session.prior is None else str(session.prior.information.get("source", session.prior.name)),
            session.scan,
            session.slice_index,
            self._workbench.canvas.shown,
            session.frame,
        )

    def remember(self, widget: QWidget) -> None:
        """Remember what a widget shows, before a lesson turns it for the first time."""
        if self._before is not None and widget not in self._before.widgets:
            way_back = _way_back(widget)
            if way_back is not None:
                self._before.widgets[widget] = way_back

    def forget(self) -> None:
        """Give nothing back, as the window may be going; what the user chooses from now on is kept again."""
        self._before = None
        self._workbench.preferences.paused = False

    def give_back(self) -> None:
        """Put everything back as it was before the first step; without one, do nothing."""
        before, self._before = self._before, None
        if before is None:
            return
        bench, session = self._workbench, self._workbench.session
        bench.player.end()
        if session.status.phase.busy:
            bench.cancel()
        for way_back in before.widgets.values():
            with suppress(RuntimeError):  # its dock may have been closed
                way_back()
        theirs = session.frame is not None and session.frame is not before.frame
        session.clear_run()
        bench.reset()
        for role in LIVE_ROLES if theirs else ():
            bench.book.remove(role)  # pictures of a run that was only made to be talked about
        session.settings, session.chains, session.seed = before.settings, before.chains, before.seed
        if before.model and (session.prior is None or _source(session.prior) != before.model):
            bench.loader.load_model(before.model)
        session.virtual_coils = before.coils
        if before.scan is not None and (before.scan is not session.scan or before.index != session.slice_index):
            bench.loader.take(before.scan, before.index)
        if session.mask_request != before.mask:
            session.mask_request = before.mask if isinstance(before.mask, Mask) else replace(before.mask)
        bench.canvas.show(before.view if bench.canvas.available(before.view) else IMAGE)
        bench.preferences.paused = False


def _source(prior: object) -> str:
    information = getattr(prior, "information", {})
    return str(information.get("source", getattr(prior, "name", "")))


def _way_back(widget: QWidget) -> Callable[[], object] | None:
    """Give what shows again what a widget shows now."""
    if isinstance(widget, QComboBox):
        text = widget.currentText()
        return lambda: widget.setCurrentIndex(max(widget.findText(text), 0))
    if isinstance(widget, QTabBar):
        index = widget.currentIndex()
        return lambda: widget.setCurrentIndex(index)
    if isinstance(widget, QAbstractButton):
        on = widget.isChecked()
        return lambda: widget.setChecked(on) if widget.isCheckable() else None
    if isinstance(widget, NumberWidget):
        value = widget.value()
        return lambda: widget.setValue(value)
    return None
