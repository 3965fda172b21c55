"""On a projector with large letters, nothing of a figure widens the window, is cut off, or lies upon another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from napari.settings import get_settings
from qtpy.QtCore import QRectF
from qtpy.QtGui import QPainter, QPicture
from qtpy.QtWidgets import QApplication

from napari_pogmdm.gui.docks.tour.figures.bars import Bar
from napari_pogmdm.gui.docks.tour.figures.figure import Figure
from napari_pogmdm.gui.docks.tour.figures.point_spread import PointSpreadFigure
from napari_pogmdm.gui.docks.tour.figures.potential import PotentialFigure
from napari_pogmdm.gui.docks.tour.figures.runs import RunsFigure
from napari_pogmdm.gui.docks.tour.figures.schedule import ScheduleFigure
from napari_pogmdm.gui.docks.tour.figures.toy_score import ToyScoreFigure

NARROWEST = 420  # pixels: the pictures of a projector of 1280 x 720 with large letters have no more
BESIDE_THE_PICTURES = (600, 440)  # pixels of a projector of 1280 x 720 in presenter mode
_NUDGE = 5  # pixels by which pyqtgraph puts the label of an axis nearer to the edge than its box
RUNS = [
    Bar("A third of the lines\nresidual 7.7\u00a0%", 39.0),
    Bar("A tenth of the lines\nresidual 4.5\u00a0%", 28.5),
    Bar("The wrong step ratio\nresidual 10.5\u00a0%", 28.1),
    Bar("A run that diverges\nfailed", float("nan"), 3, "diverged"),
]


@pytest.fixture
def large_letters():
    appearance = get_settings().appearance
    before, appearance.font_size = appearance.font_size, 16
    yield appearance
    appearance.font_size = before


@pytest.mark.parametrize("kind", [ToyScoreFigure, PotentialFigure])
def test_what_can_be_turned_never_widens_the_window_and_words_follow_the_letters(workbench, qtbot, large_letters, kind):
    figure = kind(workbench)
    qtbot.addWidget(figure)
    figure.setStyleSheet("* { font-size: 16pt; }")  # as napari's own style sheet has it in a window
    figure.resize(NARROWEST, 400)
    figure.show()
    figure.say(["said"])
    qtbot.wait(50)
    assert figure.minimumSizeHint().width() <= NARROWEST
    assert "16pt" in figure.words.text()
    large_letters.font_size = 20
    assert "20pt" in figure.words.text()


@pytest.fixture(params=[9, 16])
def letters(request) -> Iterator[int]:
    appearance = get_settings().appearance
    before, appearance.font_size = appearance.font_size, request.param
    yield request.param
    appearance.font_size = before


def shown(figure: Figure, qtbot, letters: int) -> Figure:
    qtbot.addWidget(figure)
    figure.setStyleSheet(f"* {{ font-size: {letters}pt; }}")  # as napari's own style sheet has it in a window
    figure.resize(*BESIDE_THE_PICTURES)
    figure.show()
    figure.draw()
    if isinstance(figure, RunsFigure):
        figure.draw_bars(RUNS)
    for _ in range(2):  # what is painted settles the axes, and these the layout
        QApplication.sendPostedEvents()
        figure.grab()
    return figure


def words_on(figure: Figure, side: str) -> list[tuple[str, QRectF]]:
    """Give the numbers or names at an axis, and its label, with their places in pixels of the plot."""
    axis, picture = figure.plot.getAxis(side), QPicture()
    with QPainter(picture) as painter:
        painter.setFont(axis.style["tickFont"])
        _, _, ticks = axis.generateDrawSpecs(painter)
    found = [(text, axis.mapRectToScene(QRectF(place))) for place, _, text in ticks]
    label = axis.label
    if label.isVisible() and label.toPlainText().strip():
        air = label.document().documentMargin()
        inside = label.boundingRect().adjusted(air, air, -air, -air - _NUDGE)
        found.append((label.toPlainText(), label.mapRectToScene(inside)))
    return found


@pytest.mark.parametrize("kind", [PointSpreadFigure, ScheduleFigure, RunsFigure, ToyScoreFigure])
def test_words_of_axes_are_whole_and_apart(small, qtbot, letters, kind):
    figure = shown(kind(small), qtbot, letters)
    room = QRectF(figure.plot.rect()).adjusted(-2, -2, 2, 2)  # air around letters may be outside
    for side in ("bottom", "left"):
        words = words_on(figure, side)
        assert len(words) >= 3, "an axis with fewer cannot be read"
        outside = [text for text, place in words if not room.contains(place)]
        assert outside == [], f"{side} axis at {letters} points"
    ticks = sorted(words_on(figure, "bottom")[: None if kind is RunsFigure else -1], key=lambda one: one[1].left())
    upon = [(before[0], after[0]) for before, after in pairwise(ticks) if before[1].right() > after[1].left() + 1]
    assert upon == []
