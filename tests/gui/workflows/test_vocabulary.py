"""One word for one thing: whatever can be read in the window keeps to the words of the glossary."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QComboBox, QLabel, QTabBar, QWidget

from napari_pogmdm.gui.arrangement import open_workbench
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.tour.figures.names import FIGURES, OFF
from napari_pogmdm.gui.docks.tour.lesson_file import find_lessons, shipped_lessons
from napari_pogmdm.gui.docks.trace.curves import QUANTITIES
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.settings import describe

OTHER_WORDS = {
    r"\bACL\b": "ACS",
    r"(?<!peak )signal[ -]to[ -]noise": "step ratio r; SNR is something else to a physicist",
    r"\b(corrector|predictor) ratio\b": "step ratio r",
    r"\b(zeta|eta|eps|epsilon|xi|lambda|alpha|beta|tau)\b": "the letter itself",
    r"\bx_?t\b|(?-i:Xₜ)": "xₜ",
    r"^noise (sigma|σ|√)|√ ?2t|sqrt ?\(2": "sigma",
    r"\bundersampling factor\b|\bacceleration factor\b": "acceleration",
    r"\bghost lines?\b|\bcalibration lines?\b": "centre (ACS)",
}
"""Other names that a thing had, and the one that it has."""
_THE_PAPERS_OWN = re.compile(r"ζ|√\(2t\)")
_READ = ("text", "title", "placeholderText", "toPlainText", "toolTip", "accessibleName")
_GREEK = {"zeta": "ζ", "sigma": "σ", "varepsilon": "ε", "nabla": "∇"}


def plain(text: str) -> str:
    """Take the marks of rich text and of TeX away, and write indices as they are seen."""
    text = re.sub(r"<sub>t</sub>", "ₜ", text)
    text = re.sub(r"\\([a-z]+)", lambda found: _GREEK.get(found[1], " "), re.sub(r"_t\b|_\{t\}", "ₜ", text))
    return re.sub(r"<[^>]+>", " ", text).replace("&#x27;", "'")


def wrong_in(text: str) -> list[str]:
    """Say which other words a text has, and the paper's own symbols without what they are called here."""
    said = plain(text)
    found = [(re.search(other, said, re.IGNORECASE), word) for other, word in OTHER_WORDS.items()]
    wrong = [f"{one[0]!r} is {word}" for one, word in found if one is not None]
    if _THE_PAPERS_OWN.search(said) and not ("paper" in said and re.search("sigma|σ", said, re.IGNORECASE)):
        wrong.append("the paper's symbol without sigma")
    return wrong


def words_of(widget: QWidget) -> Iterator[str]:
    """Give all that can be read on a widget, also what is behind tabs, in lists and in tooltips."""
    for name in _READ:
        read = getattr(widget, name, None)
        if callable(read):
            yield str(read())
    if isinstance(widget, QComboBox):
        for place in range(widget.count()):
            yield widget.itemText(place)
            yield str(widget.itemData(place, Qt.ItemDataRole.ToolTipRole) or "")
    if isinstance(widget, QTabBar):
        for place in range(widget.count()):
            yield widget.tabText(place)
            yield widget.tabToolTip(place)


@pytest.fixture
def opened(small) -> Workbench:
    open_workbench(small.viewer)
    tour = next(dock for dock in docks(small) if dock.heading == "Tour")
    for name in FIGURES:
        tour.guide.figures.show(name)
    tour.guide.figures.show(OFF)
    return small


def docks(bench: Workbench) -> list[Dock]:
    return bench.viewer.window._qt_window.findChildren(Dock)


@pytest.mark.parametrize(
    "text",
    [
        "8 % ACL",
        "Signal to noise",
        "corrector ratio",
        "zeta",
        "Noise √2t",
        "noise sigma",
        "noise in X<sub>t</sub>",
        "eps = 2 r |z|^2",
        "ζ",
    ],
)
def test_other_words_are_noticed(text):
    assert wrong_in(text)


@pytest.mark.parametrize(
    "text",
    ["sigma", "Peak signal-to-noise ratio", "E[x₀ | x<sub>t</sub>]", "sigma; the paper writes ζ for it"],
)
def test_the_words_of_the_glossary_are_not(text):
    assert wrong_in(text) == []


def test_all_that_can_be_read_in_the_window_keeps_to_one_word(opened):
    window = opened.viewer.window._qt_window
    figures = [widget for widget in window.findChildren(QWidget) if widget.objectName().startswith("figure_")]
    assert len(figures) == len(FIGURES)
    read = {
        (dock.objectName() or type(dock).__name__, words)
        for dock in [*docks(opened), *figures, opened.frame.bar]
        for widget in [dock, *dock.findChildren(QWidget)]
        for words in words_of(widget)
        if words
    }
    assert len(read) > 500, "the window has many words"
    assert [(where, text[:80], wrong) for where, text in read for wrong in wrong_in(text)] == []


def test_settings_curves_layers_views_and_lessons_keep_to_one_word(opened):
    said = [f"{one.label}: {one.meaning}" for one in describe(SamplerSettings).values()]
    said += [f"{one.title}: {one.meaning}" for one in QUANTITIES]
    said += [layer.name for layer in opened.viewer.layers]
    said += [f"{view.name}: {view.about} {view.hint}" for view in opened.canvas.views.values()]
    for lesson in find_lessons((shipped_lessons(),))[0]:
        said += [lesson.title, lesson.introduction]
        said += [f"{step.title} {step.text} {step.answer}" for step in lesson.steps]
    assert [(text[:80], wrong) for text in said for wrong in wrong_in(text)] == []


def test_no_two_settings_share_a_name_and_none_has_two(opened):
    labels = [one.label for one in describe(SamplerSettings).values()]
    assert len(set(labels)) == len(labels)
    sampler = next(dock for dock in docks(opened) if dock.heading == "Sampler")
    for key, one in describe(SamplerSettings).items():
        names = {widget.accessibleName() for widget in sampler.findChildren(QWidget, key)} - {""}
        assert names <= {one.label}, key


def test_the_noise_level_is_called_sigma_wherever_it_is_turned(opened):
    turned = [
        widget
        for widget in opened.viewer.window._qt_window.findChildren(QWidget)
        if "sigma" in widget.objectName() or widget.toolTip().startswith("Noise level sigma")
    ]
    assert len(turned) >= 5
    labels = {
        label.text().replace("&", "")
        for label in opened.viewer.window._qt_window.findChildren(QLabel)
        if label.buddy() in turned
    }
    assert labels == {"Sigma"}
    assert all("sigma" in widget.accessibleName().lower() for widget in turned), "also to those who listen"
