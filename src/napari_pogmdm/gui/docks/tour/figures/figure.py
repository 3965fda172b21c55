"""What all figures of lessons have in common: a plot, a line that says what its numbers say, and the room for both."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from weakref import WeakMethod

import pyqtgraph as pg
from napari.settings import get_settings
from qtpy.QtCore import Qt
from qtpy.QtGui import QFontMetrics
from qtpy.QtWidgets import QCheckBox, QDoubleSpinBox, QHBoxLayout, QLabel, QSizePolicy, QSlider, QVBoxLayout, QWidget

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.base import Connectable
from napari_pogmdm.gui.docks.columns import Columns
from napari_pogmdm.gui.widgets.plots import LogAxis, Plot, curve_colours, letter_points, seen

_LARGE = 12.0  # points of letters, unless those of the window are larger: what a class reads from its seats
_TICKS = 1000  # of a slider for a value of 1
_EDGE = 6  # pixels around a figure


class Figure(QWidget):
    """A plot for a lesson; subclasses draw it from the session.

    Parameters
    ----------
    workbench
        Whose session is drawn.
    bottom, left
        Labels of the axes.
    left_axis
        An axis of another kind, such as `LogAxis`.

    Attributes
    ----------
    alone
        Whether it takes the place of the pictures, of which it does not speak.
    plot
        The plot.
    words
        Says what its numbers say.
    step
        Title of the step that is set up.
    column
        Holds them, one below the other.
    """

    alone = False

    def __init__(self, workbench: Workbench, bottom: str, left: str, left_axis: pg.AxisItem | None = None) -> None:
        super().__init__()
        self.workbench = workbench
        self.session = workbench.session
        self.step = ""
        self.plot = Plot(workbench.viewer, bottom, left, left_axis=left_axis)
        self.plot.setLogMode(y=isinstance(left_axis, LogAxis))
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)  # takes what there is
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._said: tuple[str, ...] = ()
        self.column = column = QVBoxLayout(self)
        column.setContentsMargins(_EDGE, _EDGE, _EDGE, _EDGE)
        column.setSpacing(_EDGE)
        column.addWidget(self.words)
        column.addWidget(self.plot, 1)
        self._leave_room()
        self.listen([get_settings().appearance.events.font_size], self._letters_changed)
        self.listen([workbench.viewer.events.theme], self._take_colours)

    @property
    def colours(self) -> tuple[str, ...]:
        """Colours of curves that stand out from the theme."""
        return curve_colours(self.workbench.viewer)

    @abstractmethod
    def draw(self) -> None:
        """Draw what the session holds now."""

    def forget(self) -> None:
        """Forget what earlier steps left, as a lesson begins."""

    def end(self) -> None:
        """Stop whatever moves, as the figure leaves the screen."""

    def say(self, parts: Sequence[str]) -> None:
        """Say what the numbers say, in letters that are read from afar."""
        self._said = tuple(parts)
        self._say_again()

    def offer(self, widgets: Sequence[QWidget]) -> None:
        """Put what can be turned above the plot, in as many columns as there is room for."""
        self.column.insertWidget(1, Columns(widgets, most=len(widgets)))

    def _take_colours(self) -> None:
        if seen(self):
            self.draw()

    def _letters_changed(self) -> None:
        with suppress(RuntimeError):  # the figure may be gone, while napari's settings stay
            self._leave_room()
            self._say_again()

    def _leave_room(self) -> None:
        """Leave room above the axes: half of the highest tick's label stands there."""
        self.plot.getPlotItem().layout.setContentsMargins(0, QFontMetrics(self.plot.letters()).height() / 2, _EDGE, 0)

    def _say_again(self) -> None:
        size = round(max(_LARGE, letter_points()))
        said = " &nbsp;·&nbsp; ".join(self._said)
        self.words.setText(f'<span style="font-size:{size}pt">{said}</span>')

    def listen(self, signals: Sequence[Connectable], callback: Callable[[], None]) -> None:
        """Have a method called with events of the session or the viewer for as long as this figure lives."""
        method = WeakMethod(callback)
        for signal in signals:
            signal.connect(callback)
            self.destroyed.connect(_parting(signal, method))


def _parting(signal: Connectable, method: WeakMethod[Callable[[], None]]) -> Callable[..., None]:
    def part(*_: object) -> None:
        slot = method()
        if slot is not None:  # disconnecting "nothing" would disconnect everybody
            signal.disconnect(slot)

    return part


class SigmaRow(QWidget):
    """A slider and a number for the noise level.

    Parameters
    ----------
    name
        By which lessons turn the number.
    largest
        Noise level at the end of the slider.
    changed
        Called with every change.
    """

    def __init__(self, name: str, largest: float, changed: Callable[[], None]) -> None:
        super().__init__()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, round(largest * _TICKS))
        self.slider.setAccessibleName("Sigma")
        self.slider.setMinimumWidth(60)  # pixels; with fewer, there would be nothing to hold
        self.number = QDoubleSpinBox()
        self.number.setObjectName(name)
        self.number.setAccessibleName("Sigma, as a number")
        self.number.setRange(0.0, largest)
        self.number.setDecimals(3)
        self.number.setSingleStep(0.01)
        label = QLabel("Sigma")
        label.setBuddy(self.number)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (label, self.slider, self.number):
            row.addWidget(widget)
        self.slider.valueChanged.connect(lambda value: self.number.setValue(value / _TICKS))
        self.number.valueChanged.connect(lambda value: self.slider.setValue(round(value * _TICKS)))
        self.number.valueChanged.connect(changed)

    @property
    def sigma(self) -> float:
        """The noise level."""
        return float(self.number.value())


def switch(text: str, name: str, changed: Callable[[], None]) -> QCheckBox:
    """Make a box to tick, which lessons turn by its name."""
    box = QCheckBox(text)
    box.setObjectName(name)
    box.toggled.connect(changed)
    return box
