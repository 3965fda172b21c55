from __future__ import annotations

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QPushButton, QWidget

from napari_pogmdm.gui.widgets.highlight import Highlight


def test_it_follows_its_widget_and_lets_clicks_through(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(300, 200)
    button = QPushButton("here", window)
    button.setGeometry(40, 50, 80, 30)
    highlight = Highlight(window)
    window.show()
    qtbot.waitExposed(window)
    highlight.point_at(button)
    assert highlight.isVisible()
    assert highlight.geometry().contains(button.geometry())
    button.move(100, 120)
    qtbot.waitUntil(lambda: highlight.geometry().contains(button.geometry()))
    with qtbot.waitSignal(button.clicked):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    button.hide()
    qtbot.waitUntil(lambda: not highlight.isVisible())
    highlight.point_at(None)
    assert highlight.target is None
