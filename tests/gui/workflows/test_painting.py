"""How often the window is painted: each time costs as much as a picture of the run where there is no graphics card."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from qtpy.QtCore import QEvent, QObject
from qtpy.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from napari_pogmdm.gui.docks.sampler.dock import SamplerDock
from napari_pogmdm.gui.docks.trace import dock as trace_dock
from napari_pogmdm.gui.docks.trace.dock import TraceDock
from napari_pogmdm.gui.widgets.readout import Readout
from napari_pogmdm.runs.status import Phase


class Counting(QObject):
    """Counts events by their type: of all objects, or of the one that is watched."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: Counter[QEvent.Type] = Counter()
        self.watched: QObject | None = None
        QApplication.instance().installEventFilter(self)

    def eventFilter(self, receiver: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        self.seen[event.type()] += self.watched in {None, receiver}
        return False


@pytest.fixture
def counting() -> Counting:
    counter = Counting()
    yield counter
    QApplication.instance().removeEventFilter(counter)


def test_all_curves_are_painted_at_once(small, until, counting, qtbot):
    dock = TraceDock(small.viewer)
    small.viewer.window.add_dock_widget(dock, name="Trace", area="bottom")
    small.viewer.window._qt_window.show()
    small.start(Phase.RUNNING)
    until(lambda: small.session.status.phase is Phase.FINISHED and dock.plots["psnr"].drawn)
    qtbot.wait(500)
    shown = [plot for plot in (dock.schedule, *dock.plots.values()) if plot.isVisible()]
    assert len(shown) > 4
    small.session.trace = small.session.trace[:-2]
    dock._redraw()
    counting.seen.clear()
    qtbot.wait(300)
    # left alone, each plot has the window painted twice; something else may blink in the meantime
    assert 1 <= counting.seen[QEvent.Type.UpdateRequest] < len(shown)


def test_a_picture_with_its_curves_titles_and_progress_is_painted_together(small, until, counting, qtbot, monkeypatch):
    """Without a graphics card every further time costs as much as the picture, and a run is the slower for it."""
    monkeypatch.setattr(trace_dock, "REDRAW_SECONDS", 0.0)
    window = small.viewer.window
    for widget, name, area in ((SamplerDock, "Sampler", "right"), (TraceDock, "Trace", "bottom")):
        window.add_dock_widget(widget(small.viewer), name=name, area=area)
    window.show()
    small.start(Phase.PAUSED)
    until(lambda: small.session.trace)
    small._timer.stop()
    small.woken.disconnect(small.pump)
    qtbot.wait(800)  # whatever the first picture and the new docks set going comes to rest
    counting.watched = window._qt_window
    before = len(small.session.trace)
    small.runner.step(True)
    until(lambda: small.runner._mail.holds_frame)
    small.session.status = replace(small.session.status, phase=Phase.PLAYING)  # as while a run goes on
    counting.seen.clear()
    small.pump()
    for _ in range(20):
        qtbot.wait(5)
    counting.watched = None  # or the window would outlive the test
    assert len(small.session.trace) > before
    # it was six times; buttons that the end of a step frees may be painted afterwards
    assert 1 <= counting.seen[QEvent.Type.UpdateRequest] <= 3


def test_a_new_picture_leaves_the_list_of_layers_alone(small):
    book = small.book
    book.show("image", np.zeros((48, 40), np.float32))
    heard: list[object] = []
    small.viewer.layers.events.connect(heard.append)
    book.show("image", np.ones((48, 40), np.float32))
    assert heard == []
    assert book.get("image").data.min() == 1
    assert float(np.asarray(book.get("image")._slice.image.view).min()) == 1
    book.get("image").name = "another name"
    assert heard, "the list must hear of everything else"


@pytest.mark.parametrize(("kind", "quiet"), [(Readout, True), (QLabel, False)])
def test_a_readout_has_nothing_laid_out_anew(qtbot, counting, kind, quiet):
    field = QWidget()
    line = kind()
    QVBoxLayout(field).addWidget(line)
    qtbot.addWidget(field)
    field.resize(300, 60)
    field.show()
    qtbot.waitExposed(field)
    qtbot.wait(50)
    counting.seen.clear()
    line.setText("something much longer than before")
    qtbot.wait(100)
    assert line.text() == "something much longer than before"
    assert counting.seen[QEvent.Type.Paint] > 0
    assert (counting.seen[QEvent.Type.LayoutRequest] == 0) == quiet
