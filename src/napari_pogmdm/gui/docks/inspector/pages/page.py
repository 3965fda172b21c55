"""What the pages of the Inspector have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from qtpy.QtCore import QSize, Signal
from qtpy.QtWidgets import QBoxLayout, QWidget

from napari_pogmdm.gui.docks.inspector.model_view import ModelView
from napari_pogmdm.gui.docks.inspector.pixel import PixelReading
from napari_pogmdm.gui.docks.inspector.responses import Analysis
from napari_pogmdm.gui.widgets.plots import Plot

Save = Callable[[Path], None]


@dataclass(frozen=True, eq=False)
class Inspection:
    """What is being looked at: one or two models, a noise level, and what they make of an image.

    Attributes
    ----------
    views
        The models, at most two.
    analyses, pixels
        What each model makes of the image, where there is one, and of a pixel of it.
    sigma
        Noise level.
    selected
        Index of the model and number of the filter that was chosen.
    slopes, counted, zoomed
        Whether to show derivatives, to show marginals, and to show only the responses that occur.
    """

    views: tuple[ModelView, ...] = ()
    analyses: tuple[Analysis | None, ...] = ()
    pixels: tuple[PixelReading | None, ...] = ()
    sigma: float = 0.0
    selected: tuple[int, int] | None = None
    slopes: bool = False
    counted: bool = True
    zoomed: bool = False

    def chosen(self, model: int) -> int | None:
        """Give the chosen filter of a model."""
        return self.selected[1] if self.selected is not None and self.selected[0] == model else None


class Page(QWidget):
    """One tab: draws an inspection.

    Attributes
    ----------
    chosen
        Signal with the index of a model and the number of its filter that the user chose.
    paged
        Signal when the page's own pages (of many filters) change.
    title
        Of the tab.
    """

    chosen = Signal(int, int)
    paged = Signal()
    title = ""

    def __init__(self) -> None:
        super().__init__()
        self.row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(6)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Prefer a low, wide strip; plots left alone ask for 640 x 480."""
        return QSize(600, 140)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Keep wrapped labels from dictating the height of the dock."""
        return False

    def stack(self, *, narrow: bool) -> None:
        """Put the page's plots below each other where it is narrow, else beside each other."""
        down, across = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self.row.setDirection(down if narrow else across)

    @abstractmethod
    def draw(self, inspection: Inspection) -> None:
        """Show what is being looked at."""

    @abstractmethod
    def explanation(self, inspection: Inspection) -> str:
        """Say what one sees, as rich text with symbol and equation."""

    def exports(self, inspection: Inspection) -> list[tuple[str, Save]]:
        """List what can be saved: a title, and a function that saves by the ending of a path."""
        return []

    @property
    def position(self) -> tuple[int, int]:
        """Which page of filters is shown, and how many there are."""
        return 0, 1

    def turn(self, by: int) -> None:
        """Turn pages of filters."""


def names_of(views: Sequence[ModelView]) -> list[str]:
    """Name models so that two of the same can be told apart."""
    return [
        f"{view.name}, second" if any(view.name == before.name for before in views[:place]) else view.name
        for place, view in enumerate(views)
    ]


def plain_numbers(plot: Plot) -> None:
    """Write 0.2 on the axes, not 200 (x0.001)."""
    for side in ("bottom", "left"):
        plot.getAxis(side).enableAutoSIPrefix(False)
