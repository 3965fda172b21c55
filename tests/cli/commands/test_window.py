"""The window's command, where there is no window."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")


@pytest.mark.parametrize("arguments", [("window",), ()], ids=["window", "no command"])
def test_without_a_display_it_says_what_to_do(sentence, no_display, arguments):
    assert sentence(*arguments) == (
        "window: there is no display; use the other commands, or run it under 'xvfb-run -a'."
    )


def test_a_missing_binding_is_named(sentence, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setitem(sys.modules, "napari_pogmdm.gui.window", None)
    assert "install it with 'pip install napari-pogmdm[qt]'" in sentence("window")


def test_a_screenshot_that_cannot_be_written_is_refused_first(refuse):
    refuse(("window", "{scan}", "--screenshot", "{folder}/none/x.png"), "the folder")
