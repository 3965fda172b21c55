from __future__ import annotations

import pytest
from qtpy.QtCore import QPoint, QPointF, Qt
from qtpy.QtGui import QWheelEvent
from qtpy.QtWidgets import QApplication, QComboBox, QSlider, QSpinBox, QVBoxLayout, QWidget

from napari_pogmdm.gui.widgets.wheel_guard import WheelGuard


def turn(field: QWidget) -> QWheelEvent:
    middle = QPointF(field.rect().center())
    event = QWheelEvent(
        middle,
        QPointF(field.mapToGlobal(field.rect().center())),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(field, event)
    return event


def box() -> QComboBox:
    made = QComboBox()
    made.addItems(["a", "b", "c"])
    made.setCurrentIndex(1)
    return made


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (QSpinBox, QSpinBox.value),
        (lambda: QSlider(Qt.Orientation.Horizontal), QSlider.value),
        (box, QComboBox.currentIndex),
    ],
)
def test_a_wheel_turns_only_the_field_that_has_the_focus(qtbot, monkeypatch, make, value):
    parent = QWidget()
    qtbot.addWidget(parent)
    column = QVBoxLayout(parent)
    field = make()
    column.addWidget(field)
    guard = WheelGuard(parent)
    guard.guard(parent)
    before = value(field)
    assert not turn(field).isAccepted()
    assert value(field) == before
    monkeypatch.setattr(field, "hasFocus", lambda: True)
    turn(field)
    assert value(field) != before
