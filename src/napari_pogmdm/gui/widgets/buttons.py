"""Push buttons with a tooltip and a name that screen readers say."""

from __future__ import annotations

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QPushButton


def button(text: str, tip: str, name: str = "", *, takes_focus: bool = True) -> QPushButton:
    """Make a button that says what it does.

    Parameters
    ----------
    text
        On the button; what follows an ampersand is its key.
    tip
        What it does; a screen reader says it where the text is a mere sign.
    name
        By which tests and lessons find it.
    takes_focus
        Whether a click gives it the focus; if not, keys go on to mean what they mean for the image.
    """
    made = QPushButton(text)
    made.setToolTip(tip)
    said = text.replace("&", "").strip(" .…")
    made.setAccessibleName(said if any(letter.isalpha() for letter in said) else tip)
    if name:
        made.setObjectName(name)
    if not takes_focus:
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return made


def make_main(made: QPushButton) -> QPushButton:
    """Let the button that a dock is there for be seen first."""
    made.setStyleSheet("QPushButton:enabled { background: #2f6fd8; color: white; font-weight: bold; }")
    return made
