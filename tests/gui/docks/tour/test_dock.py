"""The Tour dock drives the real window."""

from __future__ import annotations

from pathlib import Path

import pytest
from napari.utils.theme import get_theme
from qtpy.QtCore import Qt

from napari_pogmdm.gui.arrangement import open_workbench
from napari_pogmdm.gui.docks.tour import dock
from napari_pogmdm.gui.docks.tour.dock import TourDock
from napari_pogmdm.gui.docks.tour.figures.names import FIGURES
from napari_pogmdm.gui.docks.tour.lesson_file import find_lessons, own_lessons, shipped_lessons
from napari_pogmdm.runs.status import Phase

LESSON = """# A small one

About nothing much.

## Begin

```setup
open: small.h5
mask: cartesian 2 20
model: flf-tc
preset: paper
set: iterations=20, start_time=0.2
start: paused
show: image
dock: Sampler
algorithm: on
highlight: Sampler.buttons.substep
```

Look.

## One line

```setup
step: substep
dock: Sampler
algorithm: on
highlight: Sampler.buttons.iteration
```

## A recording

```setup
recording: demo
frame: 7
grid: image, error
dock: Trace
highlight: Trace.schedule
```

## Noise

```setup
open: small.h5
show: reference
dock: Denoise
turn: Denoise.image=fully sampled
turn: Denoise.sigma=0.2
press: Denoise.side_by_side
highlight: Denoise.answer
```
"""


@pytest.fixture
def tour(workbench, fastmri_file, until, monkeypatch) -> TourDock:
    folder = own_lessons()
    assert "XDG_DATA_HOME" in str(folder)  # the teacher's own folder, here a temporary one
    folder.mkdir(parents=True)
    fastmri_file("small.h5").rename(folder / "small.h5")
    (folder / "a-mine.md").write_text(LESSON)
    (folder / "b-bad.md").write_text("# T\n## S\n```setup\nfly: away\n```\n")
    open_workbench(workbench.viewer)
    return workbench.viewer.window._qt_window.findChildren(TourDock)[0]


def test_a_teachers_own_lesson_drives_the_window_forth_and_back(workbench, tour, until, qtbot):
    session, bench = workbench.session, workbench
    assert any(notice.text.startswith("b-bad.md: line 4: cannot read 'fly: away'") for notice in bench.heard)
    said = len(bench.heard)
    tour.choice.setCurrentIndex(tour.choice.count() - 2)
    assert tour.lesson.title == "A small one"
    assert "About nothing much" in tour.text.toPlainText()

    qtbot.mouseClick(tour.next_button, Qt.MouseButton.LeftButton)
    until(lambda: not tour.guide.busy and session.status.phase is Phase.PAUSED)
    assert session.settings.iterations == 20
    assert session.mask.kind == "cartesian"
    assert tour.guide.highlight.target.text() == "Step &substep"
    until(lambda: "predict" in tour.algorithm_box.lines.text() and "iteration 1 of 4" in tour.algorithm_box.title())
    assert "▶ 1" in tour.algorithm_box.lines.text()

    tour.next_button.click()
    until(lambda: session.status.substep == 1)
    until(lambda: "▶ 2" in tour.algorithm_box.lines.text())
    assert "residual" in tour.numbers.text()

    tour.next_button.click()
    until(lambda: not tour.guide.busy and session.recording is not None and session.recording_frame == 7)
    assert session.status.iteration == 70  # every tenth one is recorded
    until(lambda: bench.canvas.shown == "Lesson" and len(bench.canvas.panels()) == 2)
    assert tour.algorithm_box.isHidden()

    tour.back_button.click()
    until(lambda: not tour.guide.busy and session.recording is None and session.status.substep == 1)
    assert session.status.iteration == 0
    assert bench.canvas.shown == "Lesson"
    tour.back_button.click()
    until(lambda: not tour.guide.busy and session.status.phase is Phase.PAUSED and session.status.substep == 0)

    tour.next_button.click()
    until(lambda: session.status.substep == 1)
    tour.again_button.click()
    until(lambda: not tour.guide.busy and session.status.substep == 1 and session.status.iteration == 0)
    assert len(bench.heard) == said

    tour.next_button.click()
    until(lambda: not tour.guide.busy and session.recording is not None)
    tour.next_button.click()
    until(lambda: not tour.guide.busy and bench.canvas.shown == "Denoise", seconds=60)
    assert "PSNR" in tour.guide.highlight.target.text()
    tour.next_button.click()  # the lesson with an error comes last, and says so
    assert tour.lesson.title == "b-bad.md: cannot be read"
    assert "line 4: cannot read 'fly: away'" in tour.text.toPlainText()
    assert tour.place.text() == "This lesson has an error"
    assert not tour.next_button.isEnabled()
    assert len(bench.heard) == said


def test_everything_that_the_shipped_lessons_point_at_is_there(workbench, tour, until):
    lessons, troubles = find_lessons((shipped_lessons(),))
    assert not troubles
    names = {
        action.value.split("=")[0]
        for lesson in lessons
        for step in lesson.steps
        for action in step.actions
        if action.verb in {"highlight", "turn", "press"}
    }
    assert len(names) > 15
    for figure in FIGURES:
        tour.guide.figures.show(figure)
    assert [name for name in sorted(names) if tour.guide.find(name) is None] == []


def test_a_file_that_a_lesson_names_in_vain_is_said_once(workbench, tour, until, tmp_path: Path):
    (own_lessons() / "small.h5").unlink()
    said = len(workbench.heard)
    tour.choice.setCurrentIndex(tour.choice.count() - 2)
    tour.next_button.click()
    until(lambda: len(workbench.heard) > said)
    assert "small.h5: no such file" in workbench.heard[-1].text
    tour.choice.setCurrentIndex(0)
    assert not tour.guide.busy


def test_formulas_are_set_anew_in_the_colours_of_another_theme(workbench, tour, monkeypatch):
    inks: list[str] = []
    monkeypatch.setattr(dock, "show_markdown", lambda browser, text, colour, enlarged: inks.append(colour))
    workbench.viewer.theme = "light"
    assert inks[-1:] == [get_theme("light").text.as_hex()]
    workbench.viewer.theme = "dark"
    assert inks[-1:] == [get_theme("dark").text.as_hex()]
