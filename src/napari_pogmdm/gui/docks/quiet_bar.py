"""A progress bar that is not seen before there is progress."""

from __future__ import annotations

from qtpy.QtGui import QPaintEvent
from qtpy.QtWidgets import QProgressBar


class QuietBar(QProgressBar):
    """Keeps its place but paints nothing while it stands at its beginning without a word: empty, it looks like a field.

    Attributes
    ----------
    silent
        Whether there is nothing to be seen.
    """

    @property
    def silent(self) -> bool:
        """Whether there is nothing to be seen."""
        return self.value() <= self.minimum() and not (self.isTextVisible() and self.format())

    def setValue(self, value: int) -> None:  # noqa: N802 - Qt's name
        """Show other progress, painted together with whatever else changes; by itself, a bar is painted at once."""
        self.setUpdatesEnabled(False)
        super().setValue(value)
        self.setUpdatesEnabled(True)

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 - Qt's name
        """Paint the bar once it says something."""
        if not self.silent:
            super().paintEvent(event)
