"""What a lesson borrows is given back, and the next start is as it was."""

from __future__ import annotations

import pytest

from napari_pogmdm.gui.arrangement import open_workbench
from napari_pogmdm.gui.core.preferences import NapariStore, checked
from napari_pogmdm.gui.docks.tour.dock import TourDock
from napari_pogmdm.gui.docks.tour.lesson_file import own_lessons
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.status import Phase

LESSON = """# Borrowed

## All that can be set

```setup
open: phantom
mask: gaussian 5 8
preset: paper
set: corrector_ratio=4.0
chains: 3
seed: 7
show: zero-filled
figure: point-spread
turn: Denoise.sigma=0.25
```

**Who?**

```answer
Nobody.
```
"""


@pytest.fixture
def tour(small) -> TourDock:
    folder = own_lessons()
    folder.mkdir(parents=True)
    (folder / "a.md").write_text(LESSON)
    open_workbench(small.viewer)
    return small.viewer.window._qt_window.findChildren(TourDock)[0]


def test_a_lesson_leaves_nothing_behind(small, tour, until):
    session = small.session
    session.settings, session.seed = preset("fast"), 5
    mask, scan = session.mask_request, session.scan
    denoise = tour.guide.find("Denoise.sigma")
    denoise.setValue(0.1)
    tour.choice.setCurrentIndex(tour.choice.count() - 1)
    tour.next_button.click()
    until(lambda: not tour.guide.busy and session.scan is not scan and session.mask is not None)
    until(lambda: tour.guide.figures.shown == "point-spread")
    assert (session.chains, session.seed, session.settings.corrector_ratio) == (3, 7, 4.0)
    assert denoise.value() == 0.25
    assert session.mask_request.kind == "gaussian"
    assert checked(NapariStore().read()).preset == "fast"  # the window may be closed in the middle of a lesson

    assert "Nobody" not in tour.text.toPlainText()
    tour.answer_button.click()
    assert "Nobody" in tour.text.toPlainText()

    tour.leave_button.click()
    until(lambda: session.scan is scan and session.measurement is not None and not small.loader.busy)
    assert (session.settings, session.chains, session.seed) == (preset("fast"), 1, 5)
    assert session.mask_request == mask == MaskRecipe("cartesian", 2.0, 0.3)
    assert denoise.value() == 0.1
    assert tour.guide.figures.figure is None
    assert tour.guide.highlight.target is None
    assert not small.preferences.paused
    assert checked(NapariStore().read()).preset == "fast"


RUNNING = """# Run

## To its end

```setup
set: iterations=3
start: running
grid: image, error
```

Text.
"""


def test_a_lesson_takes_its_pictures_along_and_leads_back_to_the_view_before(small, until):
    folder = own_lessons()
    folder.mkdir(parents=True)
    (folder / "a.md").write_text(RUNNING)
    open_workbench(small.viewer)
    tour = small.viewer.window._qt_window.findChildren(TourDock)[0]
    small.canvas.show("Sampling")
    tour.choice.setCurrentIndex(tour.choice.count() - 1)
    tour.next_button.click()
    until(lambda: not tour.guide.busy and small.session.status.phase is Phase.FINISHED)
    assert small.canvas.shown == "Lesson"
    assert small.book.get(Role.IMAGE) is not None
    tour.leave_button.click()
    assert small.canvas.shown == "Sampling"
    assert small.book.get(Role.IMAGE) is None
    assert not small.canvas.available("Run"), "nothing of the lesson's run is left to be taken for one's own"
