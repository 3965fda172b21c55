"""A form of all settings of the sampler, made of magicgui widgets from their declarations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from magicgui.widgets.bases import ValueWidget
from qtpy.QtCore import Signal
from qtpy.QtWidgets import QFormLayout, QLabel, QVBoxLayout, QWidget

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.widgets.collapsible import Collapsible
from napari_pogmdm.gui.widgets.setting_editor import make_editor
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.settings import Setting, describe


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
        self._declared = describe(type(settings))
        self._editors: dict[str, ValueWidget[Any]] = {}
        self._groups: dict[str, tuple[Collapsible, QFormLayout]] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for title in dict.fromkeys(one.group for one in self._declared.values()):
            column.addWidget(self._make_group(title))
        self.show_settings(settings)

    def editor(self, name: str) -> QWidget:
        """Find the Qt widget of a setting."""
        native: QWidget = self._editors[name].native
        return native

    def shown(self, name: str) -> bool:
        """Whether a setting's row is part of the form with the present algorithm."""
        return self._settings.uses(name)

    def group(self, title: str) -> Collapsible:
        """Find the collapsible part of a group."""
        return self._groups[title][0]

    def show_settings(self, settings: SamplerSettings) -> None:
        """Show other settings, without telling anybody."""
        self._settings = settings
        values = settings.to_dict()
        for name, editor in self._editors.items():
            with editor.changed.blocked():
                editor.value = values[name]
        for title, (part, layout) in self._groups.items():
            members = [name for name, one in self._declared.items() if one.group == title]
            for name in members:
                layout.setRowVisible(self.editor(name), settings.uses(name))
            part.setVisible(any(settings.uses(name) for name in members))

    def lock(self, locked: bool) -> None:
        """Leave only live settings open to change; the tooltips of the others say what would open them."""
        for name, editor in self._editors.items():
            editor.enabled = not locked or self._declared[name].live

    def _make_group(self, title: str) -> Collapsible:
        body = QWidget()
        layout = QFormLayout(body)  # a container of magicgui measures labels before they have the font of the theme
        layout.setContentsMargins(4, 2, 0, 4)
        layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        part = Collapsible(title, body)
        self._groups[title] = (part, layout)
        for one in self._declared.values():
            if one.group == title:
                self._add_row(one, layout)
        return part

    def _add_row(self, one: Setting, layout: QFormLayout) -> None:
        editor = self._editors[one.name] = make_editor(one, getattr(self._settings, one.name))
        editor.changed.connect(lambda _: self._on_edit(one.name))
        if one.kind is bool:
            layout.addRow(editor.native)
            return
        label = QLabel(one.label)
        label.setBuddy(editor.native)
        label.setToolTip(editor.tooltip)
        layout.addRow(label, editor.native)

    def _on_edit(self, name: str) -> None:
        value = self._editors[name].value
        try:
            settings = replace(self._settings, **{name: value})
        except InputError as error:
            self.show_settings(self._settings)
            self.refused.emit(str(error))
            return
        self.show_settings(settings)
        self.edited.emit(name, value)
