"""magicgui widgets for declared settings: range, choices, label and tooltip come from the declaration."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from magicgui.backends._qtpy.widgets import QBaseRangedWidget
from magicgui.widgets import create_widget
from magicgui.widgets.bases import RangedWidget, ValueWidget
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QAbstractSpinBox, QComboBox, QDoubleSpinBox, QSpinBox, QWidget

from napari_pogmdm.settings import Setting

_DECIMALS = 10
"""Digits after the point that a spin box keeps: the smallest limit of a setting is 1e-8."""
_LETTERS = 6
"""Width in letters that a list of choices asks for; its entries may be longer, a dock may be narrow."""


class ShortNumberBox(QDoubleSpinBox):
    """A spin box whose numbers have six significant digits, whatever their size, and no zeros at the end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDecimals(_DECIMALS)

    def textFromValue(self, value: float) -> str:  # noqa: N802 - Qt's name
        """Write a number the short way."""
        return f"{value:.6g}"


class _ShortNumberBackend(QBaseRangedWidget):
    def __init__(self, **options: Any) -> None:
        super().__init__(ShortNumberBox, **options)


class ShortNumber(RangedWidget[float]):
    """magicgui's FloatSpinBox with a `ShortNumberBox` in it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "widget_type": _ShortNumberBackend})


class _WordedNumberBackend(QBaseRangedWidget):
    def __init__(self, **options: Any) -> None:
        super().__init__(QSpinBox, **options)


class WordedNumber(RangedWidget[int]):
    """magicgui's SpinBox with Qt's own in it, which can show a word in place of its smallest number."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "widget_type": _WordedNumberBackend})


def make_editor(setting: Setting, value: Any) -> ValueWidget[Any]:
    """Make the widget that shows and changes a setting; its native widget has the setting's name as object name."""
    options: dict[str, Any] = {"tooltip": tooltip(setting)}
    if setting.choices:
        options["choices"] = tuple((word, word) for word in setting.choices)
    elif setting.kind in {int, float}:
        step = setting.step or (2 if setting.odd else 1 if setting.kind is int else None)
        options |= {"min": setting.low, "max": setting.high, "step": step}
    if setting.kind is float:
        options["widget_type"] = ShortNumber
    elif setting.zero:
        options["widget_type"] = WordedNumber
    kind = str if setting.choices else setting.kind
    shown = str(value) if setting.choices else value
    made: Any = create_widget(shown, annotation=kind, name=setting.name, label=setting.label, options=options)
    _adapt(made.native, setting)
    return made


def tooltip(setting: Setting) -> str:
    """Write symbol, meaning, formula, unit and range of a setting as rich text."""
    head = f"<b>{rich_text(setting.symbol)}</b>: " if setting.symbol else ""
    formula = f"<br><i>{rich_text(setting.formula)}</i>" if setting.formula else ""
    unit = f"; unit: {setting.unit}" if setting.unit else ""
    change = "may change during a run" if setting.live else "fixed during a run; Reset to change it"
    allowed = f"{setting.name}: {setting.wanted}{unit}; {change}"
    return f"<p>{head}{escape(setting.meaning)}.{formula}<br><small>{escape(allowed)}.</small></p>"


def rich_text(formula: str) -> str:
    """Turn the marks of a formula, ``_x`` and ``^x`` and ``^{x y}``, into subscripts and superscripts."""
    text = re.sub(r"_(\w+)", r"<sub>\1</sub>", escape(formula))
    text = re.sub(r"\^(\w)", r"<sup>\1</sup>", text)
    return re.sub(r"\^\{(.*?)\}", r"<sup>\1</sup>", text)


def _adapt(native: QWidget, setting: Setting) -> None:
    """Give a widget its names, let it ignore half-typed numbers, and let it become as narrow as a dock."""
    native.setObjectName(setting.name)
    native.setAccessibleName(setting.label)
    native.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    if isinstance(native, QAbstractSpinBox):
        native.setKeyboardTracking(False)
    if isinstance(native, QSpinBox):
        native.setSpecialValueText(setting.zero)  # shown at the smallest value, which is 0 where there is a word
    if isinstance(native, QComboBox):
        native.setMinimumContentsLength(_LETTERS)
        native.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
