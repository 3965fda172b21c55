"""A line of text that changes many times a second."""

from __future__ import annotations

from qtpy.QtCore import QSize, Qt
from qtpy.QtGui import QPainter, QPaintEvent
from qtpy.QtWidgets import QSizePolicy, QWidget


class Readout(QWidget):
    """Text that never changes its size.

    A label has everything around it laid out, and the window painted, once more whenever its text changes.

    Parameters
    ----------
    lines
        How many there is room for.
    """

    def __init__(self, lines: int = 1) -> None:
        super().__init__()
        self._text = ""
        self._lines = lines
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """Give what it says."""
        return self._text

    def setText(self, text: str) -> None:  # noqa: N802 - as a label has it
        """Say something else."""
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for the height of its lines."""
        return QSize(0, self._lines * self.fontMetrics().lineSpacing())

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 - Qt's name
        """Write the text in the colours of the theme."""
        flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextWordWrap)
        style, ink = self.style(), self.foregroundRole()
        if style is not None:
            with QPainter(self) as painter:
                style.drawItemText(painter, self.rect(), flags, self.palette(), self.isEnabled(), self._text, ink)
