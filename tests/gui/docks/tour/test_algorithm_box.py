"""The next line of the algorithm is seen whole, however little room there is."""

from __future__ import annotations

import pytest

from napari_pogmdm.gui.docks.tour.algorithm_box import AlgorithmBox
from napari_pogmdm.gui.docks.tour.algorithm_text import algorithm_lines
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.status import Phase, RunStatus

PLAN = ("predict", "data", "correct", "data", "coils")


@pytest.fixture
def box(qtbot) -> AlgorithmBox:
    made = AlgorithmBox()
    qtbot.addWidget(made)
    made.show()
    return made


def status(substep: int) -> RunStatus:
    return RunStatus(Phase.PAUSED, 0, 1, 26, 200, PLAN, substep, 0.29)


@pytest.mark.parametrize("size", [(300, 160), (420, 180), (900, 300)])
@pytest.mark.parametrize("substep", range(len(PLAN)))
def test_a_typeset_line_is_never_cut(box, size, substep):
    box.resize(*size)
    now = status(substep)
    box.show_line(algorithm_lines(preset("paper"), now, None), now, "#ffffff", 1.7)
    document, viewport = box.line.document(), box.line.viewport()
    assert document.idealWidth() <= viewport.width()
    assert document.size().height() <= viewport.height() + 1


def test_the_heading_gets_shorter_and_never_widens_the_dock(box):
    now = status(0)
    box.show_lines(algorithm_lines(preset("paper"), now, None), now, "#334455")
    box.resize(600, 300)
    assert box.title() == "Algorithm 1, iteration 27 of 200"
    before = box.minimumSizeHint().width()
    box.resize(200, 300)
    assert box.title() == "iteration 27 of 200"
    box.setTitle("Algorithm 1, " * 20)
    assert box.minimumSizeHint().width() == before
