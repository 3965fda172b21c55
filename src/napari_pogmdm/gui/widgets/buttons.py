"""Small things that several docks make alike."""

from __future__ import annotations

from qtpy.QtWidgets import QPushButton, QWidget


def button(text: str, name: str, tip: str) -> QPushButton:
    """Make a button that can be found by name and says what it does."""
    made = QPushButton(text)
    made.setObjectName(name)
    made.setToolTip(tip)
    made.setAccessibleName(tip)
    return made


class quiet:  # noqa: N801 - reads like the context manager that it is
    """Keeps a widget from telling of changes that the program makes."""

    def __init__(self, widget: QWidget) -> None:
        self._widget = widget

    def __enter__(self) -> None:
        self._widget.blockSignals(True)

    def __exit__(self, *problem: object) -> None:
        self._widget.blockSignals(False)
