"""A card on the canvas that lists what keys and mouse do."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from qtpy.QtCore import QEvent, QObject, Qt
from qtpy.QtGui import QKeyEvent, QMouseEvent
from qtpy.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget


class KeyCard(QFrame):
    """Stands in the middle of a canvas; a click closes it.

    Parameters
    ----------
    canvas
        The widget that it stands upon.
    lines
        Keys and what they do, with headings that have no key.
    """

    def __init__(self, canvas: QWidget, lines: Sequence[tuple[str, str]]) -> None:
        super().__init__(canvas)
        self.setObjectName("key_card")
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.words = QLabel(_table(lines))
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.setAccessibleName("Keys of the canvas")
        QVBoxLayout(self).addWidget(self.words)
        canvas.installEventFilter(self)
        self.hide()

    def toggle(self) -> None:
        """Come or go."""
        self.setVisible(not self.isVisible())
        if self.isVisible():
            self.adjustSize()
            self._place()
            self.raise_()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 - Qt's name
        """Go when it was read."""
        self.hide()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 - Qt's name
        """Stay in the middle; come and go with "?", which is no key to napari, as it takes Shift."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.text() == "?":
            self.toggle()
            return True
        if event is not None and event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _place(self) -> None:
        around = self.parentWidget()
        if around is not None:
            self.move(max(0, (around.width() - self.width()) // 2), max(0, (around.height() - self.height()) // 2))


def _table(lines: Sequence[tuple[str, str]]) -> str:
    return f"<table>{''.join(map(_row, lines))}</table>"


def _row(line: tuple[str, str]) -> str:
    key, meaning = line
    if not key:
        return f"<tr><td colspan='2'><b>{escape(meaning)}</b></td></tr>"
    return f"<tr><td><b>{escape(key)}</b>&nbsp;&nbsp;</td><td>{escape(meaning)}</td></tr>"
