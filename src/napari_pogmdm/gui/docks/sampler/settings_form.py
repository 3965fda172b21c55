"""A form of all settings of the sampler, made from the table of their rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qtpy.QtCore import Qt, Signal
from qtpy.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QFormLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.sampler.setting_rows import GROUPS, OTHER, SettingRow, rows
from napari_pogmdm.gui.widgets.collapsible import Collapsible
from napari_pogmdm.recon.sampler.settings import LIVE_SETTINGS, SamplerSettings

_LARGEST_INTEGER = 2**31 - 1
_TITLES = {
    "schedule": "Noise schedule",
    "corrector": "Corrector",
    "data": "Data consistency",
    "coils": "Coils",
    "end": "Image and end",
    OTHER: "Other",
}


class SamplerForm(QWidget):
    """Shows settings in groups, of which only the rows that the chosen algorithm uses are seen.

    Signals
    -------
    edited
        A name and its new value, when the user changed one.
    refused
        The sentence about a value that cannot be used; the form goes back to what it had.
    """

    edited = Signal(str, object)
    refused = Signal(str)

    def __init__(self, settings: SamplerSettings) -> None:
        super().__init__()
        self._settings = settings
        self._quiet = False
        self._rows = {row.name: row for row in rows()}
        self._editors: dict[str, QWidget] = {}
        self._groups: dict[str, tuple[Collapsible, QFormLayout]] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for group in (*GROUPS, OTHER):
            self._add_group(group, [row for row in self._rows.values() if row.group == group], column)
        self.show_settings(settings)

    def editor(self, name: str) -> QWidget:
        """Find the widget of a setting."""
        return self._editors[name]

    def shown(self, name: str) -> bool:
        """Whether a setting's row is part of the form with the present algorithm."""
        return self._rows[name].used_by(self._settings)

    def group(self, name: str) -> Collapsible:
        """Find the collapsible part of a group."""
        return self._groups[name][0]

    def show_settings(self, settings: SamplerSettings) -> None:
        """Show other settings, without telling anybody."""
        self._settings = settings
        self._quiet = True
        for name, editor in self._editors.items():
            _set_value(editor, getattr(settings, name))
        self._quiet = False
        for group, (part, layout) in self._groups.items():
            members = [row for row in self._rows.values() if row.group == group]
            for row in members:
                layout.setRowVisible(self._editors[row.name], row.used_by(settings))
            part.setVisible(any(row.used_by(settings) for row in members))

    def lock(self, locked: bool) -> None:
        """Leave only live settings open to change."""
        for name, editor in self._editors.items():
            editor.setEnabled(not locked or name in LIVE_SETTINGS)

    def _add_group(self, group: str, members: list[SettingRow], column: QVBoxLayout) -> None:
        if not members:
            return
        body = QWidget()
        layout = QFormLayout(body)
        layout.setContentsMargins(4, 2, 0, 4)
        layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for row in members:
            editor = self._make_editor(row)
            label = QLabel(row.label)
            label.setBuddy(editor)
            for widget in (label, editor):
                widget.setToolTip(row.tooltip)
            layout.addRow(label, editor)
        part = Collapsible(_TITLES[group], body)
        column.addWidget(part)
        self._groups[group] = (part, layout)

    def _make_editor(self, row: SettingRow) -> QWidget:
        editor = _editor_for(row, getattr(self._settings, row.name))
        editor.setObjectName(row.name)
        editor.setAccessibleName(row.label)
        editor.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        _changed_signal(editor).connect(lambda *_, name=row.name: self._on_edit(name))
        self._editors[row.name] = editor
        return editor

    def _on_edit(self, name: str) -> None:
        if self._quiet:
            return
        value = _value(self._editors[name])
        try:
            settings = replace(self._settings, **{name: value})
        except InputError as error:
            self.show_settings(self._settings)
            self.refused.emit(str(error))
            return
        self.show_settings(settings)
        self.edited.emit(name, value)


class _Number(QDoubleSpinBox):
    """A number shown with four significant digits, whatever its size."""

    def textFromValue(self, value: float) -> str:  # noqa: N802 - Qt's name
        """Write a number the short way."""
        return f"{value:.6g}"


def _editor_for(row: SettingRow, value: Any) -> QWidget:
    if isinstance(value, bool):
        return QCheckBox()
    if isinstance(value, int):
        count = QSpinBox()
        count.setKeyboardTracking(False)
        count.setRange(int(row.low), int(min(row.high, _LARGEST_INTEGER)))
        return count
    if isinstance(value, float):
        number = _Number()
        number.setKeyboardTracking(False)
        number.setDecimals(10)
        number.setRange(row.low, row.high)
        if row.step:
            number.setSingleStep(row.step)
        else:
            number.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        return number
    choice = QComboBox()
    choice.addItems(row.choices or (str(value),))
    choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return choice


def _value(editor: QWidget) -> Any:
    if isinstance(editor, QCheckBox):
        return editor.isChecked()
    if isinstance(editor, QComboBox):
        return editor.currentText()
    return editor.value()


def _set_value(editor: QWidget, value: Any) -> None:
    if isinstance(editor, QCheckBox):
        editor.setChecked(value)
    elif isinstance(editor, QComboBox):
        if editor.findText(value) < 0:
            editor.addItem(value)
        editor.setCurrentText(value)
    else:
        editor.setValue(value)


def _changed_signal(editor: QWidget) -> Any:
    if isinstance(editor, QCheckBox):
        return editor.toggled
    return editor.currentTextChanged if isinstance(editor, QComboBox) else editor.valueChanged
