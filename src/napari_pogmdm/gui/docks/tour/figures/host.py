"""Where figures of lessons stand: below the pictures, or in their place."""

from __future__ import annotations

from collections.abc import Callable

from qtpy.QtCore import QObject, Qt
from qtpy.QtWidgets import QBoxLayout, QDockWidget, QVBoxLayout, QWidget

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.tour.figures.chains import ChainsFigure
from napari_pogmdm.gui.docks.tour.figures.figure import Figure
from napari_pogmdm.gui.docks.tour.figures.names import OFF
from napari_pogmdm.gui.docks.tour.figures.point_spread import PointSpreadFigure
from napari_pogmdm.gui.docks.tour.figures.potential import PotentialFigure
from napari_pogmdm.gui.docks.tour.figures.residual import ResidualFigure
from napari_pogmdm.gui.docks.tour.figures.runs import RunsFigure
from napari_pogmdm.gui.docks.tour.figures.schedule import ScheduleFigure
from napari_pogmdm.gui.docks.tour.figures.score_scatter import ScoreScatterFigure
from napari_pogmdm.gui.docks.tour.figures.toy_score import ToyScoreFigure
from napari_pogmdm.gui.folding import FoldedBottom
from napari_pogmdm.gui.presenter import FIGURE_DOCK

_MAKERS: dict[str, Callable[[Workbench], Figure]] = {
    "point-spread": PointSpreadFigure,
    "toy-score": ToyScoreFigure,
    "score-scatter": ScoreScatterFigure,
    "potential": PotentialFigure,
    "schedule": ScheduleFigure,
    "residual": ResidualFigure,
    "chains": ChainsFigure,
    "runs": RunsFigure,
}
_CANVAS, _FIGURE = 11, 9  # shares of the height


class FigureHost(QObject):
    """Shows one figure at a time in the column of the canvas.

    Parameters
    ----------
    workbench
        Whose window it is.
    parent
        With which this ends.
    """

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._native = workbench.viewer.window._qt_viewer.canvas.native
        self._figures: dict[str, Figure] = {}
        self._beside: QDockWidget | None = None
        self.shown = ""

    @property
    def figure(self) -> Figure | None:
        """The figure that is seen."""
        return self._figures.get(self.shown)

    def show(self, name: str, step: str = "") -> None:
        """Show a figure by name, or none."""
        before = self.figure
        if before is not None and name != self.shown:
            before.end()
            before.hide()
        self.shown = "" if name == OFF else name
        if self.shown and self.shown not in self._figures:
            self._figures[self.shown] = self._made(self.shown)
        for known in self._figures.values():
            known.step = step
        self._fold(bool(self.shown))
        figure = self.figure
        alone = figure is not None and figure.alone and self._beside is None
        self._native.setVisible(not alone)
        if self._beside is not None:
            self._beside.setVisible(figure is not None)
        if figure is not None:
            figure.show()
            figure.draw()

    def forget(self) -> None:
        """Forget what figures remember of earlier steps, as a lesson begins."""
        for figure in self._figures.values():
            figure.forget()

    def _fold(self, on: bool) -> None:
        """Hide the docks at the bottom, so that there is room for a figure."""
        bottom = self._workbench.viewer.window._qt_window.findChild(FoldedBottom)
        if bottom is not None and self._beside is None:
            bottom.hold(on)

    def present(self, on: bool) -> None:
        """Let figures stand beside the pictures, as a low wide canvas has no room below, or below them again."""
        window = self._workbench.viewer.window._qt_window
        if on and self._beside is None:
            self._beside = QDockWidget("Figure", window)
            self._beside.setObjectName(FIGURE_DOCK)
            self._beside.setTitleBarWidget(QWidget())
            self._beside.setWidget(QWidget())
            QVBoxLayout(self._beside.widget())
            window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self._beside)
            window.resizeDocks([self._beside], [window.width() // 2], Qt.Orientation.Horizontal)
        elif not on and self._beside is not None:
            before, self._beside = self._beside, None
            for figure in self._figures.values():
                self._put(figure)
            window.removeDockWidget(before)
            before.deleteLater()
        for figure in self._figures.values():
            self._put(figure)
        if self._beside is not None:
            self._beside.setVisible(bool(self.shown))

    def _put(self, figure: Figure) -> None:
        inside = None if self._beside is None else self._beside.widget()
        around = self._native.parentWidget() if inside is None else inside
        column = None if around is None else around.layout()
        if isinstance(column, QBoxLayout):
            seen = figure.isVisible()
            column.addWidget(figure, _FIGURE)
            figure.setVisible(seen)

    def _made(self, name: str) -> Figure:
        figure = _MAKERS[name](self._workbench)
        figure.setObjectName(f"figure_{name.replace('-', '_')}")
        around = self._native.parentWidget()
        column = None if around is None else around.layout()
        if isinstance(column, QBoxLayout):
            column.setStretchFactor(self._native, _CANVAS)
        self._put(figure)
        return figure
