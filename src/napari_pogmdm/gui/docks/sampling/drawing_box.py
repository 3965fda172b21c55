"""Tools to draw a mask with: brushes, mirrors, undo, and what can be done to the whole mask."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from qtpy.QtCore import Qt
from qtpy.QtGui import QKeySequence, QShortcut
from qtpy.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QWidget,
)
from superqt.utils import signals_blocked

from napari_pogmdm.gui.docks.sampling.brush import Brush, Symmetry
from napari_pogmdm.gui.docks.sampling.controller import MaskDrawingController
from napari_pogmdm.gui.docks.sampling.drawing import Drawing

# Letters after an & are those that napari's menus (F, V, L, P, W, H) and the rest of the dock leave free.
_BRUSHES = {
    Brush.LINE: ("Li&ne", "L", "A straight line from where you press to where you let go."),
    Brush.COLUMN: ("Colu&mn", "C", "Whole columns that the stroke crosses: phase-encoding lines."),
    Brush.ROW: ("&Row", "R", "Whole rows that the stroke crosses."),
    Brush.POINT: ("Point", "P", "Single samples that the stroke touches."),
}
_LARGEST_BRUSH = 64  # samples, a fifth of a usual scan; wider than that one fills or inverts
_LARGEST_CENTRE = 24  # samples until a scan is open, when it is the scan's size
_USUAL_CENTRE = 16  # samples: enough to calibrate coils on


class DrawingBox(QWidget):
    """Brush and buttons for drawing.

    Parameters
    ----------
    controller
        What the buttons act on.
    """

    def __init__(self, controller: MaskDrawingController) -> None:
        super().__init__()
        self._controller = controller
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self._make_brushes())
        form.addRow("Width", self._make_brush_options())
        form.addRow("Mirror", self._make_mirrors())
        form.addRow(self._make_place())
        form.addRow(self._make_centre())
        form.addRow(self._make_changes())
        self.history = QLabel()
        self.history.setWordWrap(True)
        self.history.setToolTip("What was changed by hand; it is kept in the record of every run.")
        form.addRow(self.history)
        for keys, action in (("Ctrl+Z", Drawing.undo), ("Ctrl+Shift+Z", Drawing.redo)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(partial(controller.change, action))
        controller.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the brush and the drawing as they are."""
        controller, drawing = self._controller, self._controller.drawing
        self.brushes[controller.brush].setChecked(True)
        with signals_blocked(self.width_box):
            self.width_box.setValue(controller.size)
        self.eraser.setChecked(controller.erasing)
        self.close_up.setChecked(controller.canvas.close_up)
        self.undo.setEnabled(drawing is not None and drawing.can_undo)
        self.redo.setEnabled(drawing is not None and drawing.can_redo)
        if drawing is None:
            self.history.setText("")
            return
        rows, columns = drawing.shape
        self.row.setMaximum(rows - 1)
        self.place_column.setMaximum(columns - 1)
        self.centre_size.setMaximum(max(rows, columns))
        sentences = drawing.sentences
        last = f"Last: {sentences[-1]}." if sentences else "Nothing drawn yet."
        self.history.setText(last if len(sentences) < 2 else f"{last} ({len(sentences)} changes)")

    def _make_brushes(self) -> QLayout:
        row = _row()
        group = QButtonGroup(self)
        self.brushes: dict[Brush, QPushButton] = {}
        for brush, (name, key, tip) in _BRUSHES.items():
            button = QPushButton(name)
            button.setCheckable(True)
            button.setToolTip(f"{tip} Key on the canvas: {key}.")
            button.setAccessibleName(f"{brush.value} brush")
            button.clicked.connect(lambda _=False, brush=brush: self._controller.choose(brush))
            group.addButton(button)
            _squeeze(row, (button, 1))
            self.brushes[brush] = button
        return row

    def _make_brush_options(self) -> QLayout:
        row = _row()
        self.width_box = QSpinBox()
        self.width_box.setRange(1, _LARGEST_BRUSH)
        self.width_box.setToolTip("Diameter of the brush; for columns and rows, how many side by side. Keys: [ and ].")
        self.width_box.setAccessibleName("Brush width")
        self.width_box.valueChanged.connect(self._controller.resize)
        self.eraser = QCheckBox("&Erase")
        self.eraser.setToolTip("Strokes remove samples. Key on the canvas: E.")
        self.eraser.toggled.connect(self._controller.erase)
        self.close_up = QPushButton("&Zoom")
        self.close_up.setCheckable(True)
        self.close_up.setToolTip("Fill the canvas with k-space, to draw finely; the mouse wheel also zooms.")
        self.close_up.clicked.connect(self._controller.look_closely)
        _squeeze(row, (self.width_box, 1), (self.eraser, 1))
        return row

    def _make_mirrors(self) -> QLayout:
        row = _row()
        self.mirrors: dict[str, QCheckBox] = {}
        for field, name, tip in (
            ("point", "centre", "Paint k and -k together: a real image has conjugate values there."),
            ("left_right", "↔", "Paint the mirror image across the middle column too."),
            ("top_bottom", "↕", "Paint the mirror image across the middle row too."),
        ):
            box = QCheckBox(name)
            box.setToolTip(tip)
            box.setAccessibleName(tip)
            box.toggled.connect(self._mirrors_changed)
            _squeeze(row, (box, 3 if field == "point" else 2))
            self.mirrors[field] = box
        return row

    def _make_place(self) -> QLayout:
        row = _row()
        self.row = QSpinBox()
        self.row.setPrefix("row ")
        self.row.setToolTip("Row to paint at, counted from 0 at the top.")
        self.row.setAccessibleName("Row to paint at")
        self.place_column = QSpinBox()
        self.place_column.setPrefix("col. ")
        self.place_column.setToolTip("Column to paint at, counted from 0 at the left.")
        self.place_column.setAccessibleName("Column to paint at")
        self.paint = QPushButton("Paint at")
        self.paint.setToolTip(
            "Use the brush at this row and column, without a mouse; a line goes there from where the last stroke ended."
        )
        self.paint.clicked.connect(lambda: self._controller.paint_at((self.row.value(), self.place_column.value())))
        _squeeze(row, (self.paint, 1), (self.row, 1), (self.place_column, 1))
        return row

    def _make_centre(self) -> QLayout:
        row = _row()
        self.centre_size = QSpinBox()
        self.centre_size.setRange(1, _LARGEST_CENTRE)
        self.centre_size.setValue(_USUAL_CENTRE)
        self.centre_size.setToolTip("How many lines, or the side of the square.")
        self.centre_size.setAccessibleName("Size of the centre")
        self.centre_form = QComboBox()
        for name in ("columns", "rows", "square"):
            self.centre_form.addItem(name, name)
        self.centre_form.setToolTip("Measure whole lines in the middle (auto-calibration signal, ACS), or a square.")
        self.centre_form.setAccessibleName("Form of the centre")
        self.fill = QPushButton("Fill centre")
        self.fill.setToolTip("Measure all samples of the centre.")
        self.fill.clicked.connect(self._fill_centre)
        _squeeze(row, (self.fill, 3), (self.centre_size, 3), (self.centre_form, 4))
        return row

    def _make_changes(self) -> QLayout:
        row = _row()
        self.undo = self._button("&Undo", "Undo the last change (Ctrl+Z).", Drawing.undo)
        self.redo = self._button("Redo", "Repeat the change (Ctrl+Shift+Z).", Drawing.redo)
        self.clear = self._button("Clear", "Clear the mask, and start again.", Drawing.clear)
        self.invert = self._button("Invert", "Swap measured and unmeasured samples.", Drawing.invert)
        _squeeze(row, *((button, 1) for button in (self.undo, self.redo, self.clear, self.invert)))
        return row

    def _button(self, text: str, tip: str, how: Callable[[Drawing], None]) -> QPushButton:
        """Make a button that changes the whole drawing."""
        button = QPushButton(text)
        button.setToolTip(tip)
        button.clicked.connect(lambda: self._controller.change(how))
        return button

    def _mirrors_changed(self) -> None:
        self._controller.symmetry = Symmetry(**{field: box.isChecked() for field, box in self.mirrors.items()})

    def _fill_centre(self) -> None:
        count, form = self.centre_size.value(), str(self.centre_form.currentData())
        if form == "square":
            self._controller.change(lambda drawing: drawing.fill_square(count))
        else:
            self._controller.change(lambda drawing: drawing.fill_lines(count, form))


def _row() -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(4)
    return row


def _squeeze(row: QHBoxLayout, *shares: tuple[QWidget, int]) -> None:
    """Give widgets their shares of a row, however narrow it is."""
    for widget, share in shares:
        widget.setSizePolicy(QSizePolicy.Policy.Ignored, widget.sizePolicy().verticalPolicy())
        row.addWidget(widget, share)
