"""The form follows the declarations of the settings."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from qtpy.QtWidgets import QLabel

from napari_pogmdm.gui.docks.sampler.settings_form import SamplerForm
from napari_pogmdm.recon.sampler.presets import PRESETS, preset
from napari_pogmdm.recon.sampler.settings import LIVE_SETTINGS, SamplerSettings
from napari_pogmdm.settings import describe, setting


@pytest.fixture
def form(qtbot) -> SamplerForm:
    made = SamplerForm(SamplerSettings())
    qtbot.addWidget(made)
    made.show()
    for title in {one.group for one in describe(SamplerSettings).values()}:
        made.group(title).expand(animate=False)
    return made


@pytest.mark.parametrize("name", PRESETS)
def test_every_setting_that_is_used_is_shown_with_its_value_and_no_other(form, name):
    settings = preset(name)
    form.show_settings(settings)
    for one in describe(SamplerSettings):
        editor = form._editors[one]
        assert editor.value == getattr(settings, one)
        assert form.editor(one).isVisible() == form.shown(one) == settings.uses(one), one


def test_groups_without_rows_are_not_there(form):
    assert form.group("Corrector").isVisible()
    form.show_settings(preset("default"))
    assert not form.group("Corrector").isVisible()


def test_showing_settings_tells_nobody_and_editing_tells_once(form):
    heard = []
    form.edited.connect(lambda name, value: heard.append((name, value)))
    form.show_settings(preset("fast"))
    assert heard == []
    form.editor("prior_weight").setValue(0.75)
    form.editor("renormalise").click()
    form.editor("coil_start").setCurrentText("newton")
    assert heard == [("prior_weight", 0.75), ("renormalise", not preset("fast").renormalise), ("coil_start", "newton")]


def test_what_cannot_be_is_refused_and_taken_back(form):
    heard = []
    form.refused.connect(heard.append)
    form.editor("smallest_noise").setValue(20.0)
    assert heard == ["smallest_noise: 20.0 is not below largest_noise, 10.0."]
    assert form.editor("smallest_noise").value() == 0.001


def test_during_a_run_only_live_settings_are_open_and_the_others_say_why(form):
    form.lock(True)
    for one in describe(SamplerSettings):
        assert form.editor(one).isEnabled() == (one in LIVE_SETTINGS)
        assert ("Reset to change it" in form.editor(one).toolTip()) == (one not in LIVE_SETTINGS)
    form.lock(False)
    assert form.editor("iterations").isEnabled()


def test_labels_stand_before_their_editors_with_the_same_tooltip(form):
    labels = {label.buddy(): label for label in form.findChildren(QLabel) if label.buddy() is not None}
    for name, one in describe(SamplerSettings).items():
        if one.kind is bool:
            assert form.editor(name).text() == one.label
        else:
            label = labels[form.editor(name)]
            assert (label.text(), label.toolTip()) == (one.label, form.editor(name).toolTip())


def test_the_form_fits_a_narrow_dock(form):
    assert form.minimumSizeHint().width() <= 300


def test_a_new_setting_needs_its_declaration_alone(qtbot):
    @dataclass(frozen=True)
    class Grown(SamplerSettings):
        new_idea: float = setting(1.5, "a weight that nobody has thought of", symbol="ω", within=(0.0, 2.0), live=True)
        bare_idea: float = 2.5

    form = SamplerForm(replace(Grown(), algorithm="splitting"))
    qtbot.addWidget(form)
    assert form.editor("new_idea").maximum() == 2.0
    assert "<b>ω</b>: a weight that nobody has thought of." in form.editor("new_idea").toolTip()
    assert form.shown("bare_idea")
    assert form.editor("bare_idea").value() == 2.5
    assert form.group("Other").isVisibleTo(form)
