"""A list to choose from whose text may be longer than there is room for."""

from __future__ import annotations

from qtpy.QtCore import QEvent, Qt
from qtpy.QtGui import QHelpEvent, QPaintEvent
from qtpy.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QToolTip


class Combo(QComboBox):
    """Ends in "…" where the chosen text has no room; its tooltip then begins with all of it.

    With napari's style sheet, Qt's own list cuts the text within a letter.
    """

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 - Qt's name
        """Paint the list with as much of its text as fits."""
        look = self._look()
        with QStylePainter(self) as painter:
            painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, look)
            look.currentText = self.shown_text()
            painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, look)

    def shown_text(self) -> str:
        """Give the chosen text, or what stands for none, as far as it can be seen."""
        style, whole = self.style(), self.currentText() if self.currentIndex() >= 0 else self.placeholderText()
        if style is None:
            return whole
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = style.subControlRect(QStyle.ComplexControl.CC_ComboBox, self._look(), part, self).width()
        return self.fontMetrics().elidedText(whole, Qt.TextElideMode.ElideRight, room)

    def event(self, event: QEvent | None) -> bool:
        """Say all of a shortened text to who points at it."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            whole = self.currentText()
            if whole and self.shown_text() != whole:
                QToolTip.showText(event.globalPos(), f"{whole}. {self.toolTip()}", self)
                return True
        return super().event(event)

    def _look(self) -> QStyleOptionComboBox:
        look = QStyleOptionComboBox()
        self.initStyleOption(look)
        return look
