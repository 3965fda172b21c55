"""The layout of the Compare dock: three panes side by side, or two where there is no room for the third."""

from __future__ import annotations

from collections.abc import Mapping

from qtpy.QtCore import Qt
from qtpy.QtGui import QResizeEvent
from qtpy.QtWidgets import QSizePolicy, QSplitter, QTabWidget, QWidget

from napari_pogmdm.gui.widgets.plots import by_letters

_LOWEST = 150  # pixels: the table shows three rows
_WIDTHS = (300, 430, 240)  # pixels at first: the list, the whole table, the pages
_SHARES = (1, 6, 2)  # of what the dock becomes wider
_ROOMY = 700  # pixels of width with usual letters, below which pages become tabs beside the tables


class Panes(QSplitter):
    """A list, tables behind tabs, and pages about them behind more tabs.

    Parameters
    ----------
    chooser
        What stands at the left.
    tables, pages
        By the words on their tabs.

    Attributes
    ----------
    tables
        The tabs in the middle, which have those of the pages, too, where it is narrow.
    """

    def __init__(self, chooser: QWidget, tables: Mapping[str, QWidget], pages: Mapping[str, QWidget]) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._paged = dict(pages)
        self.tables, self._pages = QTabWidget(), QTabWidget()
        for title, table in tables.items():
            self.tables.addTab(table, title)
        for title, page in pages.items():
            self._pages.addTab(page, title)
        self.setChildrenCollapsible(False)
        for number, (widget, share) in enumerate(zip((chooser, self.tables, self._pages), _SHARES, strict=True)):
            self.addWidget(widget)
            self.setStretchFactor(number, share)
        self.setSizes(list(_WIDTHS))
        # what the panes would like to have must not make the dock scroll: they do with less
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.setMinimumHeight(by_letters(_LOWEST))

    @property
    def narrow(self) -> bool:
        """Whether the pages stand among the tables."""
        return self._pages.count() == 0

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 - Qt's name
        """Let the pages stand where there is room for them."""
        super().resizeEvent(event)
        narrow = self.width() < by_letters(_ROOMY)
        if narrow != self.narrow:
            chosen = self.tables.currentWidget()
            home = self.tables if narrow else self._pages
            for title, page in self._paged.items():
                home.addTab(page, title)
            self._pages.setVisible(not narrow)
            if chosen is not None and self.tables.indexOf(chosen) >= 0:
                self.tables.setCurrentWidget(chosen)
