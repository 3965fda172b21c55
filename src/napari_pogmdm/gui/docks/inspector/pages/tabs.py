"""The Inspector's pages as tabs, with the words about the shown one, beside or below its options."""

from __future__ import annotations

from collections.abc import Sequence

from qtpy.QtCore import Qt, Signal
from qtpy.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from napari_pogmdm.gui.docks.base import explaining
from napari_pogmdm.gui.docks.inspector.pages.page import Page
from napari_pogmdm.gui.widgets.plots import by_letters

_WIDE = 720  # pixels from which the options stand beside the pages
_OPTIONS_WIDTH = 245  # pixels: two check boxes beside each other
_OPTIONS_SHARE = 0.48  # of the dock, at most
_WORDS_WIDTH = 260  # pixels, below which the words would be a narrow column; the tabs then have them as tooltip
_UNLIMITED = 16_777_215  # Qt's own number for it
_ACROSS, _DOWN = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom


class PageTabs(QWidget):
    """Shows one of several pages.

    Parameters
    ----------
    pages
        In the order of their tabs.
    options
        Stand beside or above the shown page.

    Attributes
    ----------
    turned
        Signal when another page is shown.
    bar, words, back, forth
        The widgets of its head; the last two turn pages of filters.
    """

    turned = Signal()

    def __init__(self, pages: Sequence[Page], options: QWidget) -> None:
        super().__init__()
        self.pages = tuple(pages)
        self._options = options
        self.bar = QTabBar()
        self.bar.setDrawBase(False)
        self.bar.setExpanding(False)
        self.bar.setAccessibleName("pages of the inspector")
        self.words = explaining("Loading a model ...")
        self.back, self.forth = _tool("‹", "Previous filters"), _tool("›", "Next filters")
        self._place = QLabel()
        self._stack = QStackedWidget()
        self._stack.setMinimumWidth(1)  # the pages take what there is
        for page in self.pages:
            self.bar.addTab(page.title)
            self._stack.addWidget(page)
            page.paged.connect(self.show_position)
        self._arrange()
        self.bar.currentChanged.connect(self._turn)
        self.back.clicked.connect(lambda: self.shown.turn(-1))
        self.forth.clicked.connect(lambda: self.shown.turn(1))

    @property
    def shown(self) -> Page:
        """The page that is shown."""
        return self.pages[self._stack.currentIndex()]

    @property
    def wide(self) -> bool:
        """Whether the options stand beside the pages."""
        return bool(self._body.direction() == _ACROSS)

    def say(self, text: str) -> None:
        """Say what one sees, as rich text."""
        if text != self.words.text():
            self.words.setText(text)
            self.bar.setToolTip(text)
            self._fit_words()

    def show_position(self) -> None:
        """Say which page of filters the shown page is at, if it has several."""
        page, pages = self.shown.position
        for widget in (self.back, self._place, self.forth):
            widget.setVisible(pages > 1)
        self._place.setText(f"{page + 1} / {pages}")
        self.back.setEnabled(page > 0)
        self.forth.setEnabled(page + 1 < pages)

    def make_room(self, width: int) -> None:
        """Put the options beside the plots, or above them where it is narrow."""
        wide = width >= _WIDE
        if self.wide != wide:
            for box in (self._body, self._head):
                box.setDirection(_ACROSS if wide else _DOWN)
            self._head.setStretch(1, 1 if wide else 0)
            for page in self.pages:
                page.stack(narrow=not wide)
            self._fit_words()
        beside = min(by_letters(_OPTIONS_WIDTH), round(_OPTIONS_SHARE * width))
        self._options.setMinimumWidth(beside if wide else 0)
        self._options.setMaximumWidth(beside if wide else _UNLIMITED)
        self.words.setVisible(not wide or width - beside - self.bar.sizeHint().width() >= by_letters(_WORDS_WIDTH))

    def _arrange(self) -> None:
        pager = QHBoxLayout()
        pager.setSpacing(2)
        for widget in (self.back, self._place, self.forth):
            pager.addWidget(widget)
        self._head = QBoxLayout(_ACROSS)
        self._head.setSpacing(6)
        self._head.addWidget(self.bar)
        self._head.addWidget(self.words, 1)
        self._head.addLayout(pager)
        right = QVBoxLayout()
        right.setSpacing(2)
        right.addLayout(self._head)
        right.addWidget(self._stack, 1)
        self._body = QBoxLayout(_ACROSS, self)
        self._body.setContentsMargins(0, 0, 0, 0)
        self._body.addWidget(self._options, 0, Qt.AlignmentFlag.AlignTop)
        self._body.addLayout(right, 1)

    def _turn(self, index: int) -> None:
        self._stack.setCurrentIndex(index)
        self.turned.emit()

    def _fit_words(self) -> None:
        """Keep the words as high as they are in a column, where the layout would give them twice that."""
        self.words.setMaximumHeight(_UNLIMITED if self.wide else self.words.heightForWidth(self.words.width()))


def _tool(text: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    return button
