from __future__ import annotations

from qtpy.QtWidgets import QPushButton, QToolButton, QVBoxLayout, QWidget

from napari_pogmdm.gui.widgets.message_strip import MessageStrip

LONG = "scan.dat: is not an HDF5 file; " + "convert it first, " * 8 + "and open it again."


def test_a_long_message_is_whole_and_moves_nothing(qtbot):
    around = QWidget()
    qtbot.addWidget(around)
    column = QVBoxLayout(around)
    button = QPushButton("Load...")
    column.addWidget(button)
    strip = MessageStrip(around)
    around.resize(220, 300)
    around.show()
    before = button.geometry()
    assert strip.isHidden()
    strip.say(LONG)
    assert strip.text() == LONG
    assert button.geometry() == before
    assert strip.height() > 4 * strip.fontMetrics().height()
    assert strip.geometry().bottom() < around.height()
    around.resize(300, 250)
    qtbot.waitUntil(lambda: strip.geometry().bottom() < 250 and strip.width() > 280)
    strip.findChild(QToolButton).click()
    assert strip.isHidden()
    assert strip.text() == ""
