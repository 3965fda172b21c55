"""Small things that several docks make alike."""

from __future__ import annotations

from qtpy.QtWidgets import QPushButton


def button(text: str, name: str, tip: str) -> QPushButton:
    """Make a button that can be found by name and says what it does."""
    made = QPushButton(text)
    made.setObjectName(name)
    made.setToolTip(tip)
    made.setAccessibleName(tip)
    return made
