"""The dock that follows a run in curves."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qtpy.QtCore import QSize, QTimer
from qtpy.QtGui import QResizeEvent
from qtpy.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.core.pin import Ghost
from napari_pogmdm.gui.docks.base import Dock, explaining
from napari_pogmdm.gui.docks.trace.curves import (
    QUANTITIES,
    chains_of,
    has_values,
    levels_seen,
)
from napari_pogmdm.gui.docks.trace.plots import HoverPlot, QuantityPlot, SchedulePlot, ghost_colour
from napari_pogmdm.gui.docks.trace.reliability import ReliabilityPlot
from napari_pogmdm.gui.docks.trace.saving import save_drawing, save_tables
from napari_pogmdm.gui.widgets.plots import curve_colours, letter_points, painted_together, save_picture, seen
from napari_pogmdm.recon.sampler.algorithms.by_name import noise_schedule
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.settings import SamplerSettings

if TYPE_CHECKING:
    from napari.viewer import Viewer

REDRAW_SECONDS = 0.5  # between two drawings; seven plots take some tens of milliseconds
_ALONE_SECONDS = 1.0  # beyond that, after which curves of a run are drawn though no picture came to paint them with
_NARROWEST = 15.3  # times the points of letters: a plot and the gap beside it
_NAMED_CHAINS = 8  # that fit into the line above the plots
_ABOUT_SHARE = 0.6  # of the dock's width, for a line that explains it; the rest is for the names of curves
_SIZE = (900, 215)  # pixels: all plots in one row
_EMPTY = "Run the sampler to see curves: sigma, image quality, data residual and the range of the coils."


class TraceDock(Dock):
    """Noise schedule, image quality, residual, step size, coil range against the iteration; then the reliability."""

    heading = "Trace"
    upright = False
    page = "trace"

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        viewer = self.workbench.viewer
        self.schedule = SchedulePlot(viewer)
        self.plots = {quantity.key: QuantityPlot(viewer, quantity) for quantity in QUANTITIES}
        self.reliability = ReliabilityPlot(viewer)
        self.words = QLabel()
        self.save = QPushButton("Sa&ve...")
        self.save.setToolTip("Save the curves as PNG, SVG or CSV")
        self.empty = QLabel(_EMPTY)
        self.empty.setWordWrap(True)
        self.pages = QStackedWidget()
        self.pages.setMinimumWidth(1)  # the plots take what there is
        self._stale = True
        self._arrangement: tuple[tuple[HoverPlot, ...], int] = ((), 0)
        self._levels_of: SamplerSettings | None = None
        self._known_levels: tuple[float, ...] = ()
        self._lay_out()
        self._timer = QTimer(self)
        self._timer.setInterval(round(1000 * REDRAW_SECONDS))  # for what changes without a picture
        self._timer.timeout.connect(self._draw_alone)
        self._next = 0.0
        events = self.session.events
        for event in (events.status, events.settings, events.ghosts, events.pins, events.result, events.reference):
            self.listen(event, self._outdate)
        self.listen(events.trace, self._follow)
        self.listen(events.frame, self._draw_if_due)
        self.listen(viewer.events.theme, self._outdate)
        self.save.clicked.connect(self._save)
        self._redraw(even_unseen=True)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for a wide, low place."""
        return QSize(*_SIZE)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 - Qt's name
        """Lay the plots out anew when the dock becomes wider or narrower."""
        super().resizeEvent(event)
        fits = self.about.sizeHint().width() + self.save.sizeHint().width() <= _ABOUT_SHARE * self.width()
        self.about.setVisible(fits)
        self._gap.setVisible(not fits)
        self._arrange()

    def came_to_front(self) -> None:
        """Draw what came in the meantime."""
        self._redraw()

    def _lay_out(self) -> None:
        self.column.setContentsMargins(6, 2, 6, 2)
        self.column.setSpacing(2)
        curves = QWidget()
        inside = QVBoxLayout(curves)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(2)
        head = QHBoxLayout()
        head.addWidget(self.words)
        self.about = explaining("A run against its iterations; hover over a plot to read it.", self.page)
        self.about.setWordWrap(False)  # a wrapped line would let the plots grow beyond the dock
        self._gap = QWidget()
        head.addWidget(self.about, 1)
        head.addWidget(self._gap, 1)
        head.addWidget(self.save)
        inside.addLayout(head)
        self._field = QWidget()
        self._grid = QGridLayout(self._field)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(4)
        inside.addWidget(self._field, 1)
        waiting = QWidget()
        middle = QVBoxLayout(waiting)
        middle.addStretch()
        middle.addWidget(self.empty)
        middle.addStretch()
        self.pages.addWidget(waiting)
        self.pages.addWidget(curves)
        self.column.addWidget(self.pages, 1)

    def _outdate(self) -> None:
        self._stale = True

    def _follow(self) -> None:
        """Draw, when it is time, before the picture that belongs to new numbers: the window is then painted once."""
        self._stale = True
        self._draw_if_due()

    def _draw_if_due(self) -> None:
        """Draw what changed together with a picture, if it is time or no other will follow."""
        if time.monotonic() >= self._next or not self.session.status.phase.busy:
            self._redraw()

    def _draw_alone(self) -> None:
        """Draw what changed without a picture; while a run goes on, only if none has come for long."""
        if not self.session.status.phase.busy or time.monotonic() >= self._next + _ALONE_SECONDS:
            self._redraw()

    def _redraw(self, even_unseen: bool = False) -> None:
        """Draw what is new, if anybody sees it."""
        if not self._stale or not (even_unseen or seen(self)):
            return
        self._stale = False
        self._timer.start()
        self._next = time.monotonic() + REDRAW_SECONDS
        trace, status = self.session.trace, self.session.status
        self.pages.setCurrentIndex(1 if trace else 0)
        policy = QSizePolicy.Policy.Preferred if trace else QSizePolicy.Policy.Ignored
        self.pages.setSizePolicy(policy, policy)  # or the room of plots would be kept free
        self._field.setVisible(bool(trace))
        if not trace:
            return
        colours = curve_colours(self.workbench.viewer)
        substeps = len(status.plan)
        ghosts = () if self.workbench.player.active else self.session.earlier  # a recorded run is looked at alone
        with painted_together(self._field, self._all_plots):
            self.schedule.draw(self._levels(), status, colours)
            for plot in self.plots.values():
                plot.draw(trace, substeps, colours, status)
                plot.draw_ghosts(ghosts, substeps, colours)
            self.reliability.draw(self.session, self._live_request, colours)
            self._arrange()
        legend = _legend(chains_of(trace), colours) + _earlier(ghosts, colours)
        self.words.setText(legend)
        self.words.setVisible(bool(legend))

    def _arrange(self) -> None:
        """Give each plot that has something to show its place, in as many columns as fit."""
        trace = self.session.trace
        shown: list[HoverPlot] = [
            self.schedule,
            *(plot for plot in self.plots.values() if has_values(trace, plot.quantity)),
            *([self.reliability] if self.reliability.has_values else []),
        ]
        viewport = self.viewport()
        width = self.width() if viewport is None else viewport.width()
        most = max(1, min(len(shown), int(width / (_NARROWEST * letter_points()))))
        columns = math.ceil(len(shown) / math.ceil(len(shown) / most))
        places = [(plot, number // columns, number % columns) for number, plot in enumerate(shown)]
        arrangement = (tuple(shown), columns)
        if arrangement == self._arrangement:
            return
        self._arrangement = arrangement
        for plot in self._all_plots:
            self._grid.removeWidget(plot)
            plot.setVisible(plot in shown)
        for plot, row, column in places:
            self._grid.addWidget(plot, row, column)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, int(column < columns))

    @property
    def _all_plots(self) -> tuple[HoverPlot, ...]:
        return (self.schedule, *self.plots.values(), self.reliability)

    @property
    def _live_request(self) -> RunRequest | None:
        """What the run was asked for; none of a recorded one, whose chains are not kept."""
        return None if self.workbench.player.active else self.workbench.request

    def _levels(self) -> tuple[float, ...]:
        """Give the levels of the run that is shown; of a recorded one, those that its points tell."""
        request, status = self.workbench.request, self.session.status
        settings = self.session.settings if request is None else request.settings
        if settings != self._levels_of:
            self._levels_of, self._known_levels = settings, noise_schedule(settings)
        levels = self._known_levels
        if len(levels) == status.steps + 1 and math.isclose(levels[status.iteration], status.sigma, rel_tol=1e-6):
            return levels
        return levels_seen(self.session.trace)

    def _save(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, "Save curves", "trace.csv", "Table (*.csv);;Picture (*.png);;Drawing (*.svg)"
        )
        if name:
            try:
                self.save_as(Path(name))
            except InputError as error:
                self.workbench.tell(Notice(NoticeKind.ERROR, str(error)))

    def save_as(self, path: Path) -> None:
        """Save the curves as PNG, SVG or CSV, by the ending of the file's name."""
        trace, kind, reliability = self.session.trace, path.suffix.lower(), self.reliability.drawn
        if kind == ".csv":
            save_tables(path, trace, reliability)
        elif kind == ".svg":
            substeps = len(self.session.status.plan)
            save_drawing(path, trace, self._levels(), substeps, curve_colours(None), reliability)
        elif kind == ".png":
            save_picture(self._field, path)
        else:
            raise InputError(f"{path.name}: curves are saved as .csv, .png or .svg; choose one of these endings.")


def _earlier(ghosts: Sequence[Ghost], colours: tuple[str, ...]) -> str:
    """Name the earlier runs in their colours."""
    named = [
        f'<span style="color:{ghost_colour(ghosts, ghost, colours)}">╌╌</span> {ghost.label or "earlier run"}'
        for ghost in ghosts
    ]
    return "".join(f"&nbsp;&nbsp; {one}" for one in named)


def _legend(chains: list[int], colours: tuple[str, ...]) -> str:
    """Name the chains in their colours; one alone needs no name."""
    if len(chains) < 2:
        return ""
    named = [
        f'<span style="color:{colours[chain % len(colours)]}">&#9632;</span> chain {chain + 1}'
        for chain in chains[-_NAMED_CHAINS:]
    ]
    return ("... " if len(chains) > _NAMED_CHAINS else "") + "&nbsp;&nbsp; ".join(named)
