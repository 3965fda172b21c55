from __future__ import annotations

import pytest
from napari.settings import get_settings

from napari_pogmdm.gui.docks.tour.figures.potential import PotentialFigure
from napari_pogmdm.gui.docks.tour.figures.toy_score import ToyScoreFigure

NARROWEST = 420  # pixels: the pictures of a projector of 1280 x 720 with large letters have no more


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
