"""A message at the lower edge of a dock: complete, shown until it is closed, and without moving anything."""

from __future__ import annotations

from qtpy.QtCore import QEvent, QObject, Qt
from qtpy.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

_EDGE = 4  # pixels between the strip and the edge of its dock
_COLOURS = "QFrame#message_strip { background: #ffb454; border-radius: 3px; } QLabel { color: #141414; }"


class MessageStrip(QFrame):
    """Lies upon the lower edge of a widget, as wide as it and as high as its words.

    Parameters
    ----------
    around
        The widget that it lies upon.
    """

    def __init__(self, around: QWidget) -> None:
        super().__init__(around)
        self.setObjectName("message_strip")
        self.setStyleSheet(_COLOURS)  # napari's style has no colour for what is to be heeded
        self._words = QLabel()
        self._words.setWordWrap(True)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        close = QToolButton()
        close.setText("×")
        close.setToolTip("Close this message")
        close.setAutoRaise(True)
        close.clicked.connect(lambda: self.say(""))
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 4, 2, 4)
        row.addWidget(self._words, 1)
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        around.installEventFilter(self)
        self.hide()

    def text(self) -> str:
        """Give what it says."""
        return self._words.text()

    def say(self, text: str) -> None:
        """Say something, or nothing."""
        self._words.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))
        if text:
            self._place()
            self.raise_()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 - Qt's name
        """Stay at the lower edge."""
        if event is not None and event.type() == QEvent.Type.Resize and self.text():
            self._place()
        return False

    def _place(self) -> None:
        around = self.parentWidget()
        if around is None:
            return
        width = around.width() - 2 * _EDGE
        layout = self.layout()
        height = layout.heightForWidth(width) if layout is not None else self.sizeHint().height()
        height = min(max(height, self.minimumSizeHint().height()), around.height() - 2 * _EDGE)
        self.setGeometry(_EDGE, around.height() - height - _EDGE, width, height)
