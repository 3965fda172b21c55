"""Wheels that scroll a dock, and do not turn the fields that happen to lie under the mouse."""

from __future__ import annotations

from qtpy.QtCore import QEvent, QObject, Qt
from qtpy.QtWidgets import QAbstractSlider, QAbstractSpinBox, QComboBox, QScrollBar, QWidget

_FIELDS = (QComboBox, QAbstractSlider, QAbstractSpinBox)


class WheelGuard(QObject):
    """Lets a wheel turn only the field that has the focus; over all others it scrolls what they lie on."""

    def guard(self, parent: QWidget) -> None:
        """Look after all fields on a widget; it may be called again when there are more of them."""
        for field in parent.findChildren(QWidget):
            if isinstance(field, _FIELDS) and not isinstance(field, QScrollBar):
                if field.focusPolicy() is Qt.FocusPolicy.WheelFocus:
                    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                field.installEventFilter(self)

    def eventFilter(self, field: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 - Qt's name
        """Refuse a wheel over a field without focus, so that Qt offers it to what the field lies on."""
        turned = event is not None and event.type() == QEvent.Type.Wheel
        if event is not None and turned and isinstance(field, QWidget) and not field.hasFocus():
            event.ignore()
            return True
        return False
