"""A card on the canvas with curves or numbers of all panels."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from qtpy.QtCore import QEvent, QObject, Qt, Signal
from qtpy.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.widgets.buttons import button
from napari_pogmdm.gui.widgets.plots import Plot, curve_colours, save_plot

if TYPE_CHECKING:
    from napari.viewer import Viewer

_EDGE = 8  # pixels between the card and the edge of the canvas
_PLOT_SHARE = (0.6, 0.27)  # of the canvas: curves can be told apart, and pictures are left to be seen
_LEAST, _MOST = (260, 90), (460, 190)  # pixels of the plot
_SIGN_WIDTH = 28  # pixels of a button with one sign
_LONGEST = 30  # letters of a title in the legend


class MeasureCard(QFrame):
    """Stands at the lower right of the canvas, where a grid that is not full has room, until it is closed.

    Parameters
    ----------
    viewer
        Upon whose canvas it stands, and whose theme it follows.

    Attributes
    ----------
    closed
        Signal: the card was closed.
    plot, words
        The curves, and the numbers or the legend.
    """

    closed = Signal()

    def __init__(self, viewer: Viewer) -> None:
        canvas = viewer.window._qt_viewer.canvas.native
        super().__init__(canvas)
        self._viewer = viewer
        self.setObjectName("measure_card")
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.plot = Plot(viewer, "distance", "intensity")
        self.plot.setMouseEnabled(x=False, y=False)
        for side in ("bottom", "left"):
            self.plot.getAxis(side).enableAutoSIPrefix(False)
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.save = button("Save...", "Write the curves as CSV, PNG or SVG", takes_focus=False)
        self.shut = button("×", "Close this card and remove what was drawn", takes_focus=False)
        self.shut.setFixedWidth(_SIGN_WIDTH)
        head = QHBoxLayout()
        head.addWidget(self.words, 1)
        head.addWidget(self.save, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.shut, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 4, 4, 4)
        column.addLayout(head)
        column.addWidget(self.plot)
        self.shut.clicked.connect(lambda: self.closed.emit())
        self.save.clicked.connect(self._save_dialog)
        canvas.installEventFilter(self)
        self.hide()

    def show_curves(self, curves: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]], unit: str) -> None:
        """Draw curves, distances and values by their names; distances are in a unit."""
        colours = curve_colours(self._viewer)
        named = []
        self.plot.clear()
        for number, (name, (distances, values)) in enumerate(curves.items()):
            colour = colours[number % len(colours)]
            self.plot.curve(colour, name).setData(distances, values)
            short = name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"
            named.append(f"<span style='color:{colour}'>&#9632;</span>&nbsp;{escape(short)}&nbsp;")
        self.plot.setLabel("bottom", f"distance / {unit}")
        self._show(" ".join(named) or "The line lies outside the images.", plotted=True)

    def show_text(self, text: str) -> None:
        """Show numbers, as rich text."""
        self._show(text, plotted=False)

    def save_as(self, path: Path) -> None:
        """Write the curves by the ending of a file's name."""
        save_plot(self.plot, path)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 - Qt's name
        """Stay at the corner."""
        if event is not None and event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _show(self, text: str, *, plotted: bool) -> None:
        self.words.setText(text)
        self.words.setWordWrap(plotted)
        around = self.parentWidget()
        if around is not None:
            room = zip((around.width(), around.height()), _PLOT_SHARE, _LEAST, _MOST, strict=True)
            self.plot.setFixedSize(*(int(min(max(size * share, low), high)) for size, share, low, high in room))
        self.plot.setVisible(plotted)
        self.save.setVisible(plotted)
        self.words.adjustSize()
        inside = self.layout()
        if inside is not None:
            inside.activate()
        self.adjustSize()
        self.show()
        self.raise_()
        self._place()

    def _place(self) -> None:
        around = self.parentWidget()
        if isinstance(around, QWidget):
            left, top = around.width() - self.width() - _EDGE, around.height() - self.height() - _EDGE
            self.move(max(_EDGE, left), max(_EDGE, top))

    def _save_dialog(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, "Save profiles", "profile.csv", "Table (*.csv);;Picture (*.png);;Drawing (*.svg)"
        )
        if name:
            try:
                self.save_as(Path(name))
            except InputError as error:
                self._show(str(error), plotted=True)
