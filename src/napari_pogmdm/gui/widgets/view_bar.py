"""A slim bar that names views, shows which one is seen, and switches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from qtpy.QtCore import Qt, Signal
from qtpy.QtGui import QResizeEvent
from qtpy.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QTabBar, QWidget
from superqt.utils import signals_blocked

from napari_pogmdm.gui.widgets.buttons import button

_OFFERED = " •"  # after the name of the view that belongs to the dock in front
_NARROW = "QTabBar::tab { padding: 4px 5px; min-width: 0px; }"  # ten names must find room on a small laptop
_AROUND_NAME = 18  # pixels beside the name on a tab; Qt tells its width only once it is painted
_SPACE = 4  # pixels between the parts of the bar
_SIGN_WIDTH = 30  # pixels at least of a button with one sign, or three letters


class ViewBar(QWidget):
    """A tab for each view, and buttons for how its panels stand.

    Parameters
    ----------
    names
        Of the views, in order.

    Attributes
    ----------
    chosen
        Signal with the name of a view that was clicked.
    arranged
        Signal: whether panels shall stand side by side.
    fitted
        Signal: what is seen shall fill the canvas.
    """

    chosen = Signal(str)
    arranged = Signal(bool)
    fitted = Signal()

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = tuple(names)
        self._hidden: tuple[str, ...] = ()
        self._state: tuple[object, ...] = ()
        self.setObjectName("view_bar")
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Views")
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.setUsesScrollButtons(True)
        self.tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.tabs.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for name in self._names:
            self.tabs.addTab(name)
        self.side_by_side = button("▦", "Side by side: all panels of this view, or one alone", takes_focus=False)
        self.swipe = button("◧", "Swipe: two images in one place, with a border under the mouse (W)", takes_focus=False)
        for made in (self.side_by_side, self.swipe):
            made.setCheckable(True)
        self.flicker = button("⇄", "Flicker: the next panel in place of this one (F)", takes_focus=False)
        self.difference = button("−", "Difference of the first two images of this view (D)", takes_focus=False)
        self.figure = button("Fig", "Save this view as a figure: PNG, SVG or PDF (P)", takes_focus=False)
        self.fit = button("Fit", "Fit this view to the canvas (Ctrl+R)", takes_focus=False)
        self._buttons = (self.side_by_side, self.swipe, self.flicker, self.difference, self.figure, self.fit)
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._rows.setContentsMargins(_SPACE, 0, _SPACE, 2)
        self._rows.setSpacing(_SPACE)
        self.tabs.setStyleSheet(_NARROW)
        self._rows.addWidget(self.tabs, 1)
        beside = QHBoxLayout()
        beside.setSpacing(_SPACE)
        beside.addStretch(1)
        for made in self._buttons:
            beside.addWidget(made)
        self._rows.addLayout(beside)
        self.tabs.currentChanged.connect(lambda place: self.chosen.emit(self._names[place]))
        self.side_by_side.clicked.connect(self.arranged)
        self.fit.clicked.connect(lambda: self.fitted.emit())

    def show_state(
        self,
        shown: str,
        offered: str,
        hints: Mapping[str, str],
        hidden: Sequence[str],
        arrangement: str | None,
        about: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Follow the canvas.

        Parameters
        ----------
        shown
            Name of the view that is seen.
        offered
            Name of the one that is pointed at.
        hints
            For views that have nothing to show yet, how one gets something.
        hidden
            Views that are not named at all now.
        arrangement
            How panels stand: "grid", "swipe" or otherwise; ``None`` where there is only one.
        about
            What is seen in the views, a sentence each.
        """
        state = (shown, offered, dict(hints), tuple(hidden), arrangement, self.fit.font().toString())
        if state == self._state:  # the same names set anew would have the whole window laid out and painted
            return
        self._state = state
        with signals_blocked(self.tabs), signals_blocked(self.side_by_side):
            for place, name in enumerate(self._names):
                self.tabs.setTabText(place, f"{name}{_OFFERED}" if name == offered else name)
                self.tabs.setTabEnabled(place, name not in hints or name == shown)
                self.tabs.setTabToolTip(place, hints.get(name) or about.get(name, name))
                self.tabs.setTabVisible(place, name not in hidden)
            self._hidden = tuple(hidden)
            self.tabs.setCurrentIndex(self._names.index(shown))
            self.side_by_side.setChecked(arrangement == "grid")
            self.swipe.setChecked(arrangement == "swipe")
            for made in (self.side_by_side, self.swipe, self.flicker, self.difference):
                made.setEnabled(arrangement is not None)
        self._fit()

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 - Qt's name
        """Name as many views as there is room for."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leave out views that have nothing to show, from the last on, where there is no room for all names."""
        named = [place for place, name in enumerate(self._names) if name not in self._hidden]
        empty = [place for place in named if not self.tabs.isTabEnabled(place)]
        for place in empty:
            self.tabs.setTabVisible(place, True)
        self._widen_signs()
        taken = sum(made.width() + _SPACE for made in self._buttons)
        letters = self.tabs.fontMetrics()
        wide = {place: letters.horizontalAdvance(self.tabs.tabText(place)) + _AROUND_NAME for place in named}
        below = sum(wide[place] for place in named if place not in empty) > self.width() - taken - 2 * _SPACE
        self._rows.setDirection(QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight)
        room = self.width() - 2 * _SPACE - (0 if below else taken)
        for place in reversed(empty):
            if sum(wide.values()) <= room:
                break
            self.tabs.setTabVisible(place, False)
            del wide[place]
        shown = self.tabs.currentIndex()
        with signals_blocked(self.tabs):  # scrolls back to the first name, and on only if it must
            self.tabs.setCurrentIndex(min(wide, default=shown))
            self.tabs.setCurrentIndex(shown)

    def _widen_signs(self) -> None:
        """Give the buttons one width that the longest of their signs fits in, whatever the letters are."""
        letters = self.fit.fontMetrics()
        widest = max(letters.horizontalAdvance(made.text()) for made in self._buttons)
        for made in self._buttons:
            made.setFixedWidth(max(_SIGN_WIDTH, widest + 2 * _SPACE))
