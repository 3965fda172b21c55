from __future__ import annotations

import pytest
from qtpy.QtCore import Signal
from qtpy.QtWidgets import QWidget

from napari_pogmdm.gui.core import paint_clock
from napari_pogmdm.gui.core.paint_clock import PaintClock


class Painter(QWidget):
    frameSwapped = Signal()  # noqa: N815 - Qt's name


def test_it_measures_from_arrival_to_the_screen_and_only_then(qtbot, monkeypatch):
    now = [10.0]
    monkeypatch.setattr(paint_clock.time, "perf_counter", lambda: now[0])
    painter = Painter()
    qtbot.addWidget(painter)
    clock = PaintClock(painter)
    painter.frameSwapped.emit()
    assert clock.begin() == 0.0
    now[0] += 0.2
    painter.frameSwapped.emit()
    now[0] += 5.0
    painter.frameSwapped.emit()
    assert clock.begin() == pytest.approx(0.2)
    assert PaintClock(QWidget()).begin() == 0.0
