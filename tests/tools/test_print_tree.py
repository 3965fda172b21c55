"""The tree of folders that ARCHITECTURE.md shows is the tree there is."""

from __future__ import annotations

import runpy
from pathlib import Path
from textwrap import indent

ROOT = Path(__file__).parent.parent.parent
TOOL = runpy.run_path(str(ROOT / "tools" / "print_tree.py"))


def test_the_document_shows_the_tree_that_the_tool_prints():
    drawn = indent(TOOL["tree"](), "    ")
    assert drawn in (ROOT / "ARCHITECTURE.md").read_text(), "copy what tools/print_tree.py prints into ARCHITECTURE.md"


def test_every_folder_says_what_it_is_for():
    for line in TOOL["tree"]().splitlines():
        _, _, meaning = line.strip().partition("/")
        assert meaning.strip().endswith("."), line


def test_imported_folders_stand_before_those_that_import_them(tmp_path):
    for name in ("gui", "data", "extra"):
        (tmp_path / "napari_pogmdm" / name).mkdir(parents=True)
        (tmp_path / "napari_pogmdm" / name / "__init__.py").write_text(f'"""About {name}.\n\nMore."""\n')
    (tmp_path / "napari_pogmdm" / "__init__.py").write_text('"""All."""\n')
    assert TOOL["tree"](tmp_path / "napari_pogmdm").splitlines() == [
        "napari_pogmdm/  All.",
        "  data/         About data.",
        "  gui/          About gui.",
        "  extra/        About extra.",
    ]
