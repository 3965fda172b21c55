"""Small widgets in as many columns as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from qtpy.QtCore import QEvent, QSize
from qtpy.QtGui import QResizeEvent
from qtpy.QtWidgets import QGridLayout, QWidget

_SPACE = 4  # pixels between columns


class Columns(QWidget):
    """Puts widgets beside each other where none is cut off by it, and below each other otherwise.

    Parameters
    ----------
    widgets
        In reading order.
    most
        Columns at most.
    between
        Pixels between rows.
    """

    def __init__(self, widgets: Sequence[QWidget], most: int, between: int = 2) -> None:
        super().__init__()
        self._widgets = tuple(widgets)
        self._most = most
        self.columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(_SPACE)
        self._grid.setVerticalSpacing(between)
        self._arrange(most)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Do with the width of one column."""
        return QSize(self._widest, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 - Qt's name
        """Use the room there is."""
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent | None) -> bool:
        """Look again when letters have grown."""
        if event is not None and event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    @property
    def _widest(self) -> int:
        return max((widget.sizeHint().width() for widget in self._widgets), default=0)

    def _fit(self) -> None:
        self._arrange(max(1, min(self._most, (self.width() + _SPACE) // (self._widest + _SPACE))))

    def _arrange(self, columns: int) -> None:
        if columns == self.columns:
            return
        for place in range(self._most):
            self._grid.setColumnStretch(place, 1 if place < columns else 0)
        for place, widget in enumerate(self._widgets):
            self._grid.addWidget(widget, *divmod(place, columns))
        self.columns = columns
        self.updateGeometry()
