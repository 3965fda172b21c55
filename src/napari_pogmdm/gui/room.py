"""How much room the parts of the window get: more for larger letters, as long as the pictures keep the most."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from napari.settings import get_settings
from qtpy.QtCore import QObject, Qt
from qtpy.QtWidgets import QDockWidget, QFrame, QMainWindow, QScrollArea, QWidget

from napari_pogmdm.gui.widgets.plots import by_letters

_RIGHT_WIDTH, _BOTTOM_HEIGHT = 368, 256  # pixels with tabs, 340 and 230 without, which all docks are laid out for
_RIGHT_SHARE, _BOTTOM_SHARE = 0.39, 0.37  # of the window, that larger letters may make of these
_BOTTOM_LEAST = 0.25  # of a large window's height, or its plots would be flat
_ROOMY = 900  # pixels of width with letters of 9 points, below which napari's own docks take no more than they must
_NARROW_LEFT = 0.21  # of the window, for napari's own docks there
_LEFT_WIDTH, _LEFT_SHARE = 335, 0.21  # pixels that its layer controls fill, up to a share of the window
_LESSON_LEFT, _ROOMY_LESSON_LEFT = 0.3, 0.24  # of the window, for the text of a lesson: with large letters, or else
_INTRODUCTION, _INTRODUCTION_SHARE = 400, 0.5  # pixels of height for that of a lesson, up to a share of the window
_SHORT = {"layer list": "layers", "layer controls": "controls"}
_TITLE_POINTS = 9  # of letters in the bar above a dock, which napari makes as high as these; the tab says the same


class Room(QObject):
    """Shares the window out among docks, once more when the size of napari's letters changes.

    Parameters
    ----------
    window
        Whose room it is.
    right, bottom, left
        Docks at its edges.
    """

    def __init__(
        self,
        window: QMainWindow,
        right: Sequence[QDockWidget],
        bottom: Sequence[QDockWidget],
        left: Sequence[QDockWidget],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._right, self._bottom, self._left = list(right), list(bottom), list(left)
        for group in (self._right, self._bottom, self._left):
            for dock in group:
                for moved in (dock.dockLocationChanged, dock.topLevelChanged):
                    moved.connect(self._keep_titles_small)  # napari makes new bars for them
                dock.destroyed.connect(partial(_forget, group, dock))
        get_settings().appearance.events.font_size.connect(self._letters_changed)  # keeps a weak reference only
        self._keep_titles_small()

    @property
    def narrow(self) -> bool:
        """Whether there is no room to spare for lists and controls."""
        return self._window.width() < by_letters(_ROOMY)

    @property
    def bottom_height(self) -> int:
        """Pixels for docks at the bottom that have something to show."""
        least = round(_BOTTOM_LEAST * self._window.height())
        return max(least, _grown(_BOTTOM_HEIGHT, _BOTTOM_SHARE * self._window.height()))

    def share_out(self) -> None:
        """Give the docks at the sides the width that their letters ask for."""
        self._widen(self._right, _grown(_RIGHT_WIDTH, _RIGHT_SHARE * self._window.width()))
        if self.narrow:
            self._widen(self._left, round(_NARROW_LEFT * self._window.width()))
        else:
            self._widen(self._left, round(min(by_letters(_LEFT_WIDTH), _LEFT_SHARE * self._window.width())))
        for dock in self._left:
            whole = dock.windowTitle() if dock.objectName() not in _SHORT else dock.objectName()
            dock.setWindowTitle(_SHORT.get(whole, whole) if self.narrow else whole)  # so that tabs show whole words

    def make_lesson_readable(self, dock: QDockWidget) -> None:
        """Give a dock at the left the width that a text needs."""
        least = round((_LESSON_LEFT if self.narrow else _ROOMY_LESSON_LEFT) * self._window.width())
        if dock.width() < least:
            self._widen([dock], least)

    def make_introduction_readable(self, dock: QDockWidget) -> None:
        """Give a dock at the left the height that a few lines need below its buttons."""
        least = min(by_letters(_INTRODUCTION), round(_INTRODUCTION_SHARE * self._window.height()))
        if dock.height() < least:
            self._window.resizeDocks([dock], [least], Qt.Orientation.Vertical)

    def _widen(self, docks: Sequence[QDockWidget], width: int) -> None:
        self._window.resizeDocks(list(docks), [width] * len(docks), Qt.Orientation.Horizontal)

    def _letters_changed(self) -> None:
        with suppress(RuntimeError):  # the window may be gone, while napari's settings stay
            self.share_out()

    def _keep_titles_small(self) -> None:
        for dock in (*self._right, *self._bottom, *self._left):
            bar = dock.titleBarWidget()
            if bar is not None:
                bar.setStyleSheet(f"QLabel {{ font-size: {_TITLE_POINTS}pt; }}")


def let_scroll(dock: QDockWidget) -> None:
    """Let a dock be narrower than what is in it, which then scrolls."""
    content = dock.widget()
    if content is None or isinstance(content, QScrollArea):
        return
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setMinimumHeight(content.minimumSizeHint().height())
    dock.setWidget(area)
    area.setWidget(content)
    area.show()  # in a window that is seen already
    dock.setMinimumWidth(0)  # which Qt has set to what was in it


def room_of(window: QWidget) -> Room | None:
    """Give the one that shares a window out."""
    return window.findChild(Room)


def _forget(group: list[QDockWidget], dock: QDockWidget, *_: object) -> None:
    """Leave out a dock that was closed."""
    group[:] = [other for other in group if other is not dock]


def _grown(pixels: int, most: float) -> int:
    """Let a size follow the letters up to a limit."""
    return max(pixels, min(by_letters(pixels), round(most)))
