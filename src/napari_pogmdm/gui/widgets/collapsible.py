"""Parts of a dock that fold away."""

from __future__ import annotations

from qtpy.QtGui import QIcon
from qtpy.QtWidgets import QWidget
from superqt import QCollapsible

_LOOK = "QPushButton, QPushButton:checked { text-align: left; background: rgba(128, 128, 128, 25%); }"
"""Neither blue nor pressed where it is unfolded: on every theme it is a heading, not the main button."""


class Collapsible(QCollapsible):
    """A part that folds away below its title; its arrow is text, so that it has the colour of the theme.

    Parameters
    ----------
    title
        Of the part.
    content
        What folds away.
    unfolded
        Whether it is seen at first.
    """

    def __init__(self, title: str, content: QWidget, unfolded: bool = False) -> None:
        super().__init__(expandedIcon=QIcon(), collapsedIcon=QIcon())
        self._title = title
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(0, 0, 0, 0)
        self.toggleButton().setStyleSheet(_LOOK)
        self.setDuration(0)
        self.toggled.connect(self._name)
        self.addWidget(content)
        self._name(unfolded)
        if unfolded:
            self.expand(animate=False)

    def _name(self, unfolded: bool) -> None:
        self.setText(f"{'▾' if unfolded else '▸'}  {self._title}")
