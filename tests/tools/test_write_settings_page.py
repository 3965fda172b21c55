"""The page of settings says what the code declares."""

from __future__ import annotations

import runpy
from pathlib import Path

from napari_pogmdm.settings import Settings, describe

ROOT = Path(__file__).parent.parent.parent
TOOL = runpy.run_path(str(ROOT / "tools" / "write_settings_page.py"))


def test_the_page_is_up_to_date():
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page == TOOL["page"](), "run tools/write_settings_page.py"


def test_every_class_of_settings_is_on_the_page():
    known = {kind for kind in Settings.__subclasses__() if kind.__module__.startswith("napari_pogmdm.")}
    assert known == {kind for _, _, kind in TOOL["ABOUT"]}
    for kind in known:
        lines = TOOL["table"](kind).splitlines()
        assert len(lines) == 2 + len(describe(kind))
        assert {line.replace(r"\|", "").count("|") for line in lines} == {6}
