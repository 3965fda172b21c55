"""Widgets that are made from the declarations of settings."""

from __future__ import annotations

import pytest
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QAbstractSpinBox, QCheckBox, QComboBox

from napari_pogmdm.gui.widgets.setting_editor import ShortNumberBox, make_editor, rich_text, tooltip
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.settings import describe
from napari_pogmdm.training.settings import TrainingSettings

KINDS = {bool: QCheckBox, int: QAbstractSpinBox, float: ShortNumberBox}


@pytest.mark.parametrize("one", describe(SamplerSettings).values(), ids=lambda one: one.name)
def test_an_editor_has_the_range_the_choices_and_the_words_of_its_setting(qtbot, one):
    editor = make_editor(one, one.default)
    native = editor.native
    qtbot.addWidget(native)
    assert editor.value == one.default
    assert isinstance(native, QComboBox if one.choices else KINDS[one.kind])
    assert native.objectName() == one.name
    assert native.accessibleName() == one.label
    assert native.focusPolicy() == Qt.FocusPolicy.StrongFocus
    for words in (one.name, one.unit, one.wanted):
        assert words in native.toolTip()
    if one.choices:
        assert tuple(native.itemText(index) for index in range(native.count())) == one.choices
    elif one.kind in {int, float}:
        assert (editor.min, editor.max) == (one.low, one.high)
        editor.value = one.high
        assert type(editor.value) is one.kind


def test_numbers_of_all_sizes_are_shown_shortly_and_kept_exactly(qtbot):
    editor = make_editor(describe(SamplerSettings)["smallest_noise"], 0.001)
    qtbot.addWidget(editor.native)
    for value, text in ((1e-8, "1e-08"), (0.25, "0.25"), (1000.0, "1000"), (0.00123, "0.00123")):
        editor.value = value
        assert editor.native.text() == text
        assert editor.value == value


def test_every_step_changes_what_is_shown(qtbot):
    for one in describe(SamplerSettings).values():
        if one.kind in {int, float}:
            editor = make_editor(one, one.default)
            qtbot.addWidget(editor.native)
            before = editor.native.text()
            editor.native.stepBy(1 if one.default < one.high else -1)
            assert editor.native.text() != before, one.name


def test_a_number_counts_when_it_is_typed_whole(qtbot):
    editor = make_editor(describe(SamplerSettings)["iterations"], 5)
    qtbot.addWidget(editor.native)
    heard = []
    editor.changed.connect(heard.append)
    editor.native.lineEdit().selectAll()
    qtbot.keyClicks(editor.native.lineEdit(), "250")
    assert heard == []
    qtbot.keyClick(editor.native, Qt.Key.Key_Return)
    assert heard == [250]


def test_formulas_have_subscripts_and_superscripts():
    assert rich_text("σ_max^2") == "σ<sub>max</sub><sup>2</sup>"
    assert rich_text("a^{(1 - t)^p} < b_0") == "a<sup>(1 - t)<sup>p</sup></sup> &lt; b<sub>0</sub>"


def test_front_words():
    declared = describe(SamplerSettings)
    assert declared["corrector_ratio"].label == "Step ratio r"
    told = {name: tooltip(one) for name, one in declared.items()}
    assert not any("signal" in text.lower() for text in told.values())
    assert [name for name, text in told.items() if "ζ" in text or "zeta" in text] == ["largest_noise"]
    assert [name for name, text in told.items() if "√(2t)" in text] == ["largest_noise"]
    assert all(("may change during a run" in text) == declared[name].live for name, text in told.items())
    assert "<sup>(1 - t)<sup>p</sup></sup>" in told["schedule_power"]


def test_settings_of_other_classes_have_editors_too(qtbot):
    for one in describe(TrainingSettings).values():
        editor = make_editor(one, one.default)
        qtbot.addWidget(editor.native)
        assert editor.value == one.default


def test_zero_is_shown_by_the_word_that_stands_for_it(qtbot):
    made = make_editor(describe(SamplerSettings)["map_sets"], 0)
    qtbot.addWidget(made.native)
    assert made.native.text() == "auto"
    made.value = 2
    assert made.native.text() == "2"
