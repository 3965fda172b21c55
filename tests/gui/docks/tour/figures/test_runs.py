from __future__ import annotations

from napari_pogmdm.gui.docks.tour.figures.runs import RunsFigure
from napari_pogmdm.runs.status import Phase


def test_a_step_that_begins_no_run_adds_no_bar(small, until, qtbot):
    figure = RunsFigure(small)
    qtbot.addWidget(figure)
    for step in ("first", "second"):
        figure.step = step
        small.start(Phase.RUNNING)
        until(lambda: small.session.status.phase is Phase.FINISHED)
        figure.draw()
    figure.step = "A question"
    figure.draw()
    assert list(figure.told) == ["first", "second"]
