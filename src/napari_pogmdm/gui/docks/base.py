"""What all docks have in common: they scroll, share the viewer's workbench, and explain what is shown."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol
from weakref import WeakMethod

from napari.settings import get_settings
from qtpy.QtCore import QSize, Qt, QTimer, QUrl, Signal
from qtpy.QtGui import QDesktopServices, QResizeEvent, QShowEvent
from qtpy.QtWidgets import QDockWidget, QFrame, QLabel, QLineEdit, QScrollArea, QStyle, QVBoxLayout, QWidget
from superqt import QLabeledSlider

from napari_pogmdm.gui.background.notices import Notice
from napari_pogmdm.gui.background.worker import Worker
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.widgets.docs_page import open_page, page_path
from napari_pogmdm.gui.widgets.message_strip import MessageStrip
from napari_pogmdm.gui.widgets.plots import by_letters, letter_points
from napari_pogmdm.gui.widgets.wheel_guard import WheelGuard

if TYPE_CHECKING:
    from napari.viewer import Viewer

_PATIENCE = 0.5  # seconds that closing a dock waits for its thread, which ends by itself later if it must
_SPACE = 8  # pixels around and between the parts of a dock
_LOW = 170  # pixels of height with usual letters, below which a wide dock has no room for its explanation
_PADDED = 2  # pixels that napari's style sheet leaves around what scrolls
_LABEL_MORE = 1.0  # points that napari gives to labels and buttons beyond the size of its letters
_FORGOTTEN = "Readout, SliderLabel, QHeaderView, QTableView, QProgressBar"  # by napari's style sheet, their size
_PAPER = (
    "the paper: Nagler, Zach, Pock, Product-of-Gaussian-Mixture Diffusion Models for Joint Nonlinear MRI Reconstruction"
)
LINK = "#2f80d8"
"""Of links, readable on dark and on light; Qt's own blue is lost on dark."""


class Connectable(Protocol):
    """An event of the session, the viewer or a layer."""

    def connect(self, slot: Callable[..., None], /) -> object:
        """Have a function called with every event."""

    def disconnect(self, slot: Callable[..., None], /) -> object:
        """Have it called no more."""


class Dock(QScrollArea):
    """A scrolling dock; subclasses add their widgets to ``self.column``.

    Parameters
    ----------
    napari_viewer
        In whose window it stands.

    Attributes
    ----------
    workbench, session
        Of the viewer.
    column
        Holds the parts of the dock, one below the other.
    message
        Says what went wrong here until it is closed; nothing moves because of it.
    heading
        Its name in menus and tabs.
    explanation
        One line of rich text that says what it is for, with the paper's symbols; what is seen, the canvas says.
    equations
        Where the paper has it, for the line's tooltip; empty for nowhere.
    page
        Name of the documentation page that says more; empty for none.
    upright
        Whether it stands at a side of the window, where it is never narrower than its content.
    view
        Name of the view that belongs to it, and is offered when its tab is chosen; empty for none.
    """

    woken = Signal()
    heading = ""
    explanation = ""
    equations = ""
    page = ""
    view = ""
    upright = True

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__()
        self.workbench = Workbench.of(napari_viewer)
        self.session = self.workbench.session
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        content = QWidget()
        self.column = QVBoxLayout(content)
        self.column.setContentsMargins(_SPACE, _SPACE, _SPACE, _SPACE)
        self.column.setSpacing(_SPACE)
        self.setWidget(content)
        if self.explanation:
            self.lead = explaining(self.explanation, self.page)
            self.lead.setToolTip(f"{self.equations.capitalize()} of {_PAPER}" if self.equations else "")
            self.column.addWidget(self.lead)
        self.message = MessageStrip(self)
        self._shell: QDockWidget | None = None
        self._wheels = WheelGuard(self)
        self._follow_letters()
        self.listen(get_settings().appearance.events.font_size, self._follow_letters)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 - Qt's name
        """Leave the explanation to a tooltip where it would take the room of what it explains."""
        super().resizeEvent(event)
        if self.explanation and not self.upright:
            low = self.height() < by_letters(_LOW)
            self.lead.setHidden(low)
            self.setToolTip(self.lead.text() if low else "")

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for the width of the widest row beside the scroll bar, so that nothing is cut off."""
        bar, content, style = self.verticalScrollBar(), self.widget(), self.style()
        if bar is None or content is None or style is None or not self.upright:
            return super().minimumSizeHint()
        taken = max(bar.sizeHint().width(), style.pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent, None, bar))
        width = content.minimumSizeHint().width() + taken + _PADDED
        return QSize(width, super().minimumSizeHint().height())

    def _follow_letters(self) -> None:
        """Give napari's letters also to what its style sheet forgets: numbers of sliders, tables, readouts."""
        content = self.widget()
        if content is None:
            return
        content.setStyleSheet(f"{_FORGOTTEN} {{ font-size: {letter_points() + _LABEL_MORE:g}pt; }}")
        for slider in content.findChildren(QLabeledSlider):
            for number in slider.findChildren(QLineEdit):
                number.setVisible(False)
                number.setVisible(True)  # takes its size anew

    def came_to_front(self) -> None:
        """Draw what was left undone while nobody could see it; called when the dock's tab is chosen."""

    def showEvent(self, event: QShowEvent | None) -> None:  # noqa: N802 - Qt's name
        """Find the dock widget around this one, whose tab may be chosen later: Qt shows docks behind others, too."""
        super().showEvent(event)
        shell = self.parentWidget()
        while shell is not None and not isinstance(shell, QDockWidget):
            shell = shell.parentWidget()
        if shell is not self._shell and shell is not None:
            shell.visibilityChanged.connect(self._shell_shown)
            self._shell = shell
        self.updateGeometry()  # letters have their size by now
        self._wheels.guard(self)

    def _shell_shown(self, visible: bool) -> None:
        if visible:
            self.workbench.canvas.offer(self.view)
            QTimer.singleShot(0, self.came_to_front)

    def listen(self, signal: Connectable, callback: Callable[..., None]) -> None:
        """Connect a method to an event of the session, the viewer or a layer for as long as this dock lives.

        Such events outlive the dock, and calling into a closed one would raise.
        """
        signal.connect(callback)
        method = WeakMethod(callback)

        def part() -> None:
            slot = method()
            if slot is not None:  # disconnecting "nothing" would disconnect everybody
                signal.disconnect(slot)

        self.at_end(part)

    def make_worker(self, name: str, failed: Callable[[Notice], None] | None = None) -> Worker:
        """Make a thread for this dock's own jobs; it ends with the dock, and its results arrive by themselves.

        Parameters
        ----------
        name
            Of the thread.
        failed
            Called with the sentence about a job that failed; the workbench shows it if nothing else is given.
        """
        worker = Worker(name, failed or self.workbench.tell, self._wake)
        queued = Qt.ConnectionType.QueuedConnection
        self.woken.connect(worker.deliver, queued)  # type: ignore[call-arg]  # not in PyQt's stub
        self.at_end(lambda: worker.close(_PATIENCE))
        return worker

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the dock may be gone while the background ends
            self.woken.emit()

    def at_end(self, parting: Callable[[], object]) -> None:
        """Have something done when the dock is gone; it must not touch the dock's widgets."""
        self.destroyed.connect(_ending(parting))


def _ending(action: Callable[[], object]) -> Callable[..., None]:
    """Make a callback for the end of a dock, when much else may be gone already."""

    def end(*_: object) -> None:
        with suppress(ValueError, RuntimeError, KeyError):
            action()

    return end


def explaining(text: str, page: str = "") -> QLabel:
    """Make a wrapped line of rich text; its "more" opens a page of the documentation beside the window."""
    label = QLabel(with_more(text, page))
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
    label.linkActivated.connect(lambda link: follow(link, label))
    return label


def with_more(text: str, page: str) -> str:
    """Add a link to a page of the documentation, if there is such a page."""
    if not page or page_path(page) is None:
        return text
    return f'{text} <a href="{page}" style="color: {LINK}">More …</a>'


def follow(link: str, parent: QWidget) -> None:
    """Open a link: a page of the documentation by its name, anything else in a browser."""
    if open_page(link, parent) is None:
        QDesktopServices.openUrl(QUrl(link))
